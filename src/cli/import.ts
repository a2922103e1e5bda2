import mime from 'mime'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { formatMebibytes, formatCount } from '../config/format-count.ts'
import type { Config } from '../config/config.ts'
import { maxYamlBytes } from '../data-file/parse-data-text.ts'
import { importHar, type Imported, type SaveFile } from '../import/import-har.ts'
import { formatNames, toPrintable } from './format.ts'
import { createFile } from './output-file.ts'

/** Makes a file of stubs from an HTTP Archive, and a folder beside it for long bodies. */
export async function importTraffic(config: Config, source: string, target: string) {
  if (existsSync(target)) throw new Error(`${target} already exists`)
  const { folder, saveFile, maxBytes } = createFolder(target)
  if (existsSync(folder)) throw new Error(`${folder} already exists, where long bodies are saved`)
  try {
    const imported = await importHar(source, config, saveFile).catch((error: unknown) => {
      throw toNamed(error, source)
    })
    const text = await toText(imported.stubs, source, target)
    await createFile(target, only(text), { check: () => Promise.resolve() })
    print(imported, target)
    if (maxBytes() === 0) return
    console.log(`Saved long bodies to ${folder}`)
    const isTooLarge = maxBytes() > config.maxUploadBytes
    if (isTooLarge)
      console.log(`Start with --max-upload-bytes ${String(maxBytes())} to serve the longest body`)
  } catch (error) {
    if (maxBytes() > 0) await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function toNamed(error: unknown, source: string) {
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`${source}: ${reason}`, { cause: error })
}

async function* only(text: string) {
  yield await Promise.resolve(text)
}

function createFolder(target: string) {
  const name = `${basename(target, extname(target))}-files`
  const folder = join(dirname(target), name)
  let [count, largest] = [0, 0]
  const saveFile: SaveFile = (bytes, type) => {
    if (count === 0) mkdirSync(folder)
    count += 1
    largest = Math.max(largest, bytes.length)
    const file = `${String(count)}.${mime.getExtension(type ?? '') ?? 'bin'}`
    writeFileSync(join(folder, file), bytes, { flag: 'wx' })
    return `${name}/${file}`
  }
  return { folder, saveFile, maxBytes: () => largest }
}

async function toText(stubs: Imported['stubs'], source: string, target: string): Promise<string> {
  if (Object.keys(stubs).length === 0)
    throw new Error(`${source} has no response that can be a stub`)
  if (/\.json$/i.test(target)) return `${JSON.stringify(stubs, null, 2)}\n`
  const { default: yaml } = await import('yaml')
  const text = `# Stubs from ${toPrintable(basename(source))}: vitrine ${toPrintable(target)}\n${yaml.stringify(stubs, { lineWidth: 0, simpleKeys: true })}`
  if (text.length <= maxYamlBytes) return text
  throw new Error(
    `the stubs are larger than ${formatMebibytes(maxYamlBytes)} of YAML: name a file that ends with .json`,
  )
}

function print({ stubs, entries, secrets, notes }: Imported, target: string): void {
  for (const [name, places] of secrets)
    console.log(`Masked in ${toPrintable(name)}: ${formatNames(places.map(toPrintable))}`)
  for (const [reason, { names, count }] of notes)
    console.log(
      `${reason}: ${formatCount(count, 'entry', 'entries')}, such as ${[...names].map(toPrintable).join(', ')}`,
    )
  const count = formatCount(Object.keys(stubs).length, 'stub')
  console.log(`Saved ${count} of ${formatCount(entries, 'entry', 'entries')} to ${target}`)
}
