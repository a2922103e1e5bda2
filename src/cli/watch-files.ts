import { unwatchFile, watchFile } from 'node:fs'
import { isUrl } from '../config/parse-settings.ts'

const pollMs = 200

/** Watches the files that are set and are no URLs. Returns a function that ends it. */
export function watchFiles(
  given: readonly (string | undefined)[],
  onChange: (file: string) => Promise<void> | void,
) {
  let last = Promise.resolve()
  const files = given.flatMap((file = '') => (file === '' || isUrl(file) ? [] : [file]))
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
