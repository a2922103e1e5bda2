// Writes the tables of docs/settings.md and docs/operating.md from the settings (`npm run docs:settings`).
import { readFileSync, writeFileSync } from 'node:fs'
import { tables } from '../test/settings-tables.ts'

for (const { file, name, text } of tables) {
  const url = new URL(`../${file}`, import.meta.url)
  const pattern = new RegExp(`(<!-- ${name}:.*-->\n\n)[^]*?(\n+<!-- /${name} -->)`)
  const written = readFileSync(url, 'utf8')
  writeFileSync(
    url,
    written.replace(pattern, (_, start, end) => start + text + end),
  )
}
