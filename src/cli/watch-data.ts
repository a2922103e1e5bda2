import { unwatchFile, watchFile } from 'node:fs'
import type { Config } from '../config/config.ts'

const pollMs = 200

/** Calls `reload` after each change of the data file or its schema, one call at a time. */
export function watchData({ dataFile, dataSchema }: Config, reload: () => Promise<void>) {
  let last = Promise.resolve()
  const run = () => {
    last = last.then(reload)
  }
  const files = [dataFile, dataSchema].filter((file) => file !== undefined)
  // Not by events of the file: editors replace it.
  for (const file of files) watchFile(file, { interval: pollMs }, run)
  return () => {
    for (const file of files) unwatchFile(file)
  }
}
