import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoints } from '../../test/support/code-points.ts'
import { html, Html } from './html.ts'

/** Parses text without tags as a browser does: only the five references. */
function toTextContent(markup: string): string {
  const characters: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
  }
  return markup.replace(/&[^;]*;/g, (reference) => {
    const character = characters[reference]
    assert.ok(character !== undefined, `${reference} in ${markup}`)
    return character
  })
}

test('every type of value is inserted, and all but markup is escaped', () => {
  const list = ['a', '<b>'].map((item) => html`<li>${item}</li>`)
  const rows: [Html, expected: string][] = [
    [html``, ''],
    [html`<p>as it is</p>`, '<p>as it is</p>'],
    [html`<p>${'<script>alert(1)</script>'}</p>`, '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
    [html`${'&'}`, '&amp;'],
    [html`${'&amp;'}`, '&amp;amp;'],
    [html`${`"'`}`, '&quot;&#39;'],
    [html`<a title="${'" onclick="x'}">`, '<a title="&quot; onclick=&quot;x">'],
    [html`${1}${-0.5}`, '1-0.5'],
    [html`${''}`, ''],
    [html`${html`<b>${'<'}</b>`}`, '<b>&lt;</b>'],
    [html`<ul>${list}</ul>`, '<ul><li>a</li><li>&lt;b&gt;</li></ul>'],
    [html`${['<', ['>', html`<i>`], 1]}`, '&lt;&gt;<i>1'],
    [html`${[]}`, ''],
    [html`${'a'}${'b'}`, 'ab'],
    [html`$&${'$&'}`, '$&$&amp;'],
  ]
  for (const [{ markup }, expected] of rows) assert.equal(markup, expected)
})

test('text is the same before escaping and after parsing', () => {
  const likely = fc.constantFrom('&', '<', '>', '"', "'", '&lt;', '&#39;', '</p>', '<!--', ';', 'a')
  const anyText = fc.oneof(
    fc.array(likely).map((all) => all.join('')),
    fc.string({ unit: codePoints }),
  )
  fc.assert(
    fc.property(anyText, (text) => {
      const inText = html`${text}`.markup
      assert.doesNotMatch(inText, /[<>"']/)
      assert.equal(toTextContent(inText), text)
      // In an attribute, no character ends the quotes early.
      const value = /^<a title="([^"]*)">$/.exec(html`<a title="${text}">`.markup)?.[1]
      assert.equal(toTextContent(value ?? ''), text)
    }),
    { numRuns: 1000 },
  )
})

test('a list of texts is joined without a separator', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (texts) => {
      assert.equal(toTextContent(html`${texts}`.markup), texts.join(''))
    }),
  )
})
