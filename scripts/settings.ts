// Prints each setting with the files of src/ that read it, and the number of tests that set it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingNames, toEnvironmentName, toFlagName } from '../src/config/settings.ts'

const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root }).map((path) => {
  return { path, text: readFileSync(join(root, path), 'utf8') }
})
const isTest = (path: string) => /^test\/|\.(test|contract)\.ts$/.test(path)
const readers = files.filter(
  ({ path, text }) => !isTest(path) && !/config\/(?!config)/.test(path) && /config/i.test(text),
)
const tests = files.filter(({ path }) => isTest(path))

for (const name of settingNames) {
  const [variable, flag] = [toEnvironmentName(name), `--${toFlagName(name)}`]
  const isRead = RegExp(`\\b(${name}|${variable})\\b`)
  const isSet = RegExp(`\\b${variable}\\b|${flag}\\b`)
  const paths = readers.filter(({ text }) => isRead.test(text)).map(({ path }) => path)
  const count = tests.filter(({ text }) => isSet.test(text)).length
  console.log(
    `${variable} ${flag} (in ${String(count)} tests): ${paths.join(', ') || 'only checked'}`,
  )
}
console.log(`${String(settingNames.length)} settings`)
