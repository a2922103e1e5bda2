import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { toCurl, toHttpie, toWindows } from './commands.ts'

const url = 'http://localhost/topic'

/** Prints the arguments that a shell gives to the program. */
function toArguments(command: string): readonly string[] {
  const program = `curl() { printf '%s\\0' "$@"; }\nhttp() { curl "$@"; }\n`
  return execFileSync('sh', ['-c', program + command], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}

for (const method of ['PUT', '`id`', '$HOME', "X'|id|'", 'GET&id', 'a*']) {
  test(`a shell gives the method ${method} to curl and HTTPie unchanged`, () => {
    assert.deepEqual(toArguments(toCurl({ method, url, headers: [] })), ['-X', method, url])
    assert.deepEqual(toArguments(toHttpie({ method, url, headers: [] })), [method, url])
  })
}

for (const value of ["a'b", '$(id) `id`', 'a\\', '!!', 'a\tb', '*', '@/etc/passwd', '=1']) {
  test(`a shell gives the value ${value} of a header to curl and HTTPie`, () => {
    const request = { method: 'GET', url, headers: [['X-A', value]] as const }
    assert.deepEqual(toArguments(toCurl(request)), [url, '-H', `X-A: ${value}`])
    const escaped = /^[@=]/.test(value) ? `\\${value}` : value
    assert.deepEqual(toArguments(toHttpie(request)), ['GET', url, `X-A:${escaped}`])
  })
}

for (const [value, expected] of [
  ['a&b|c<d>(e)^', '"X-A: a&b|c<d>(e)^"'],
  ['{"a":"b"}', String.raw`"X-A: {\"a\":\"b\"}"`],
  ['a%26b', '"X-A: a%26b"'],
  ...['"&calc&"', '"&calc', 'a"b', '%PATH%', '%AB%41', 'a!b', "a'b", 'a\\', 'é', 'a\tb'].map(
    (hostile) => [hostile, undefined] as const,
  ),
] as const) {
  test(`the command prompt of Windows gets the value ${value} ${expected ? 'quoted' : 'in no command'}`, () => {
    const command = toWindows(toCurl({ method: 'GET', url, headers: [['X-A', value]] }))
    assert.equal(command, expected && `curl.exe "${url}" -H ${expected}`)
  })
}

for (const text of ['a\ncalc', "'\ncalc", " \\\n  'calc", ' \\\n  calc', 'a\r\ncalc', '@a\ncalc']) {
  test(`the command prompt of Windows gets no command with the lines ${JSON.stringify(text)}`, () => {
    const body = { kind: 'text', text } as const
    assert.equal(toWindows(toCurl({ method: 'POST', url, headers: [], body })), undefined)
  })
}

for (const query of ['a[b]=1', 'a={1,2}', 'a=[1-9]']) {
  test(`curl reads no pattern in ${query}`, () => {
    const target = `${url}?${query}`
    assert.deepEqual(toArguments(toCurl({ method: 'GET', url: target, headers: [] })), [
      '-g',
      target,
    ])
  })
}
