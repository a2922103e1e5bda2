// Writes the licenses of the packages in the bundle, which an installation does not bring itself.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const inputs = 'dist/inputs.json'
const { outputs } = JSON.parse(readFileSync(inputs, 'utf8')) as {
  outputs: Record<string, { inputs: object }>
}
const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
const folders = files.flatMap(
  (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
)
const texts = [...new Set(folders)].sort().map((folder) => {
  const { name, version, license } = JSON.parse(
    readFileSync(`${folder}/package.json`, 'utf8'),
  ) as Record<string, string>
  const found = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file))
  const text = found.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim()).join('\n\n')
  if (!license) throw new Error(`${folder} names no license`)
  return `${String(name)} ${String(version)}: ${license}\n\n${text}\n`
})
writeFileSync('dist/licenses.txt', texts.join(`\n${'-'.repeat(80)}\n\n`))
rmSync(inputs)
