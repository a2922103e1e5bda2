import fc from 'fast-check'
import assert from 'node:assert/strict'

/**
 * Any code point but half a pair, as `unit: 'binary'` of fast-check, which first makes a table of all 1,112,064 of
 * them: that takes a second of each process. Read back, so that fast-check tries its dangerous strings too.
 */
export const codePoints = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map(String.fromCodePoint, (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined
    assert.ok(code !== undefined && String.fromCodePoint(code) === text)
    return code
  })
