import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoints } from '../../../test/support/code-points.ts'
import { toCsvLine } from './csv.ts'

const cells: [value: string | number | undefined, cell: string][] = [
  ['plain', 'plain'],
  ['', ''],
  [undefined, ''],
  [0, '0'],
  [-9.25, '-9.25'],
  [1e21, '1e+21'],
  ['a,b', '"a,b"'],
  ['say "a"', '"say ""a"""'],
  ['one\ntwo', '"one\ntwo"'],
  ['one\r\ntwo', '"one\r\ntwo"'],
  [' edge', '" edge"'],
  ['edge ', '"edge "'],
  ['=1+1', `'=1+1`],
  ['+cmd', `'+cmd`],
  ['-cmd', `'-cmd`],
  ['@sum', `'@sum`],
  ['\tx', `'\tx`],
  ['\rx', `"'\rx"`],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ['-5', '-5'],
  ['+5.5e3', '+5.5e3'],
  ['-5+2', `'-5+2`],
  ['--5', `'--5`],
  ['a=b', 'a=b'],
  ['漢', '漢'],
]

for (const [value, cell] of cells) {
  test(`${JSON.stringify(value)} is ${JSON.stringify(cell)} in CSV`, () => {
    assert.equal(toCsvLine([value]), `${cell}\r\n`)
    assert.equal(toCsvLine([value, value]), `${cell},${cell}\r\n`)
  })
}

test('any cells can be parsed again, except for the apostrophe before a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: codePoints }), { minLength: 1 }), (values) => {
      const read = parseLine(toCsvLine(values))
      assert.equal(read.length, values.length)
      for (const [index, value] of values.entries()) {
        assert.ok(read[index] === value || read[index] === `'${value}`)
        assert.doesNotMatch(read[index], /^[=@\t\r]/)
      }
    }),
  )
})

/** Reads one line as RFC 4180 §2 has it. */
function parseLine(line: string): string[] {
  return [...`,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
  )
}
