import { unwatchFile, watchFile } from 'node:fs'
import type { Config } from '../config/config.ts'
import { isUrl } from '../config/parse-settings.ts'

const pollMs = 200

export function watchData(
  { dataFile, dataSchema }: Config,
  onChange: (file: string) => Promise<void> | void,
) {
  let last = Promise.resolve()
  const files = [dataFile ?? '', dataSchema ?? ''].filter((file) => file !== '' && !isUrl(file))
  // Events of the file would end when an editor replaces it.
  for (const file of files) {
    watchFile(file, { interval: pollMs }, () => {
      last = last.then(() => onChange(file))
    })
  }
  return () => {
    for (const file of files) unwatchFile(file)
  }
}
