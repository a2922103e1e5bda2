import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { exchange, textBody } from '../../test/support/exchanges.ts'
import { temporaryFolder } from '../../test/support/start-vitrine.ts'
import { catalogueApp } from '../../test/support/test-app.ts'
import type { Exchange } from './exchange.ts'
import { toCommands, toWindowsCommand } from './repeat.ts'

const isInstalled = await promisify(execFile)('curl', ['--version']).then(Boolean, () => false)

test('curl sends an equivalent form for an upload', { skip: !isInstalled }, async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const folder = await temporaryFolder(t)
  const file = Buffer.from([0, 255, 13, 10])
  await writeFile(join(folder, 'file.txt'), file)
  const load = async () => {
    const headers = { accept: 'application/json' }
    const list = await app.inject({ url: '/inspector?method=POST', headers })
    const [latest] = list.json<{ exchanges: { id: string }[] }>().exchanges
    const one = await app.inject({ url: `/inspector/${latest?.id ?? ''}`, headers })
    return one.json<Exchange & { curl: string }>()
  }
  for (const name of ['ann.png', "a'b; c,é$(id).png"]) {
    const form = new FormData()
    form.append('note', "@/etc/passwd;type=text/html 'é' $(id)\\")
    form.append('upfiles', new Blob([file], { type: 'image/png' }), name)
    await fetch(`${origin}/profile`, { method: 'POST', body: form })
    const first = await load()
    assert.match(first.curl, /^curl -i --compressed '[^']*' \\\n/)
    assert.match(first.curl, / -F 'upfiles=@file\.txt;filename=/)
    await promisify(execFile)('sh', ['-c', first.curl], { cwd: folder })
    const second = await load()
    assert.notEqual(second.id, first.id)
    const [one, other] = [first, second].map(({ status, requestFields, requestBody }) => {
      const type = new Map(requestFields.map(([key, value]) => [key.toLowerCase(), value]))
      const [, boundary = ''] = (type.get('content-type') ?? '').split('boundary=')
      const hex = requestBody?.hex ?? ''
      return [status, hex.replaceAll(Buffer.from(boundary).toString('hex'), '')]
    })
    assert.deepEqual(other, one)
  }
})

function toForm(...parts: readonly string[]): Exchange {
  const body = [
    ...parts.map((part) => `--X\r\nContent-Disposition: form-data; ${part}\r\n`),
    '--X--\r\n',
  ]
  return exchange({
    method: 'POST',
    requestFields: [
      ['Content-Type', 'multipart/form-data; boundary=X'],
      ['Accept', '*/*'],
      ['User-Agent', 'x'],
    ],
    requestBody: textBody(body.join('')),
  })
}

const toFile = (name: string) => `name="a"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\nb`

/** Prints the arguments that a shell gives to the program. */
function toArguments(command: string): readonly string[] {
  const program = `curl() { printf '%s\\0' "$@"; }\n`
  return execFileSync('sh', ['-c', program + command], { encoding: 'utf8' })
    .split('\0')
    .slice(-3, -1)
}

for (const name of ["x'y", '$(id)', '`id`', '/etc/passwd', '-', 'a;type=b', 'a b', 'é', 'a\nb']) {
  test(`a shell gives the value ${JSON.stringify(name)} of a form to curl unchanged`, () => {
    const { curl } = toCommands(toForm(`name="a"\r\n\r\n${name}`))
    assert.deepEqual(toArguments(curl), ['--form-string', `a=${name}`])
  })

  test(`a file with the name ${JSON.stringify(name)} is sent as file.txt, or the body as it is`, () => {
    const { curl } = toCommands(toForm(toFile(name)))
    const quoted = /^[\w.-]+$/.test(name) ? name : `"${name}"`
    const expected = ['-F', `a=@file.txt;filename=${quoted};type=text/plain`]
    if (name.includes('\n')) assert.doesNotMatch(curl, /-F /)
    else assert.deepEqual(toArguments(curl), expected)
  })
}

for (const [title, parts] of Object.entries({
  'a quotation mark in a name': ['name="a\\"b"\r\n\r\n1'],
  'an equals sign in a name': ['name="a=@/etc/passwd"\r\n\r\n1'],
  'a carriage return in a value': ['name="a"\r\n\r\n1\r\n2'],
  'a part without a name': ['filename="a"\r\n\r\n1'],
  'a part with another header': ['name="a"\r\nX-A: 1\r\n\r\n1'],
  'a file without a type': ['name="a"; filename="b"\r\n\r\n1'],
  'no file': ['name="a"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n'],
  'no parts': [],
})) {
  test(`the body of a form with ${title} is sent as it is`, () => {
    assert.match(toCommands(toForm(...parts)).curl, / \| curl [^]*--data-binary @-$/)
  })
}

test('the command for the command prompt of Windows leaves out the headers of a browser', () => {
  const { requestBody, requestFields } = toForm(toFile('ann.png'), 'name="b"\r\n\r\n1 & 2')
  const fields = [...requestFields, ['Sec-Ch-Ua', '"Chromium";v="1"'], ['X-B', '"2"']] as const
  const url = 'http://localhost:3000/api/json'
  assert.equal(
    toWindowsCommand(exchange({ method: 'POST', requestBody, requestFields: fields })),
    `curl.exe -i "${url}" -H "Accept: */*" -H "X-B: \\"2\\"" -F "a=@file.txt;filename=ann.png;type=text/plain" --form-string "b=1 & 2"`,
  )
})
