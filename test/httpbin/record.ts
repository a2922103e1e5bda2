// Records the responses of the real services for `recorded.test.ts`:
// node test/httpbin/record.ts httpbin=<port> go-httpbin=<port>
import { writeFileSync } from 'node:fs'
import { exchange, type Row } from './exchange.ts'
import { rows } from './rows.ts'
import { goRows, slowRows } from './slow-rows.ts'

for (const argument of process.argv.slice(2)) {
  const [name = '', port = ''] = argument.split('=')
  await record(name, Number(port), rows)
  const ofBoth = `${name}-slow`
  await record(ofBoth, Number(port), name === 'httpbin' ? slowRows : [...slowRows, ...goRows])
}

async function record(file: string, port: number, all: readonly Row[]): Promise<void> {
  const recorded = []
  for (const row of all) recorded.push({ ...row, response: await exchange(port, row) })
  const lines = recorded.map((one) => JSON.stringify(one)).join(',\n')
  writeFileSync(new URL(`recorded/${file}.json`, import.meta.url), `[\n${lines}\n]\n`)
}
