import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../support/start-vitrine.ts'

interface Instruction {
  /** `FROM` */
  name: string
  /** The arguments on one line, without flags. */
  text: string
  /** `--from=pack` → `from: 'pack'` */
  flags: Readonly<Record<string, string>>
}

export const dockerfileText = readProjectFile('Dockerfile')

const instructions = dockerfileText
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map(parseInstruction)

/** Every stage, from one FROM to the next. */
export const stages = instructions.reduce<Instruction[][]>((before, instruction) => {
  if (instruction.name === 'FROM') return [...before, [instruction]]
  return [...before.slice(0, -1), [...(before.at(-1) ?? []), instruction]]
}, [])

/** The last value of an instruction in the last stage. */
export function findInImage(name: string): string {
  const found = stages.at(-1)?.findLast((instruction) => instruction.name === name)
  if (found === undefined) throw new Error(`the image has no ${name}`)
  return found.text
}

/** The environment that the image sets. */
export const imageEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  findInImage('ENV')
    .split(/\s+/)
    .map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
)

export function readProjectFile(path: string): string {
  return readFileSync(join(projectFolder, path), 'utf8')
}

function parseInstruction(line: string): Instruction {
  const [, name = '', flagText = '', text = ''] =
    /^([A-Z]+)((?:\s+--\S+)*)\s+(.*)$/.exec(line) ?? []
  const flags = [...flagText.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag, value]) => [flag, value])
  return { name, text, flags: Object.fromEntries(flags) as Record<string, string> }
}
