// Records the responses of the real services for `recorded.test.ts`:
// node test/httpbin/record.ts httpbin=<port> go-httpbin=<port>
import { writeFileSync } from 'node:fs'
import { exchange } from './exchange.ts'
import { rows } from './rows.ts'

for (const argument of process.argv.slice(2)) {
  const [name = '', port = ''] = argument.split('=')
  const recorded = []
  for (const row of rows) {
    recorded.push({ ...row, response: await exchange(Number(port), row) })
  }
  const lines = recorded.map((one) => JSON.stringify(one)).join(',\n')
  writeFileSync(new URL(`recorded/${name}.json`, import.meta.url), `[\n${lines}\n]\n`)
}
