// Code with the colors of its tokens.
import { create } from './dom.js'
import { tokenize } from './highlight.js'

export const maxShownLength = 65_536

export function renderCodeBlock(source, language) {
  const isPlain = language === '' || source.length > maxShownLength
  const parts = isPlain ? [['', source]] : tokenize(source, language)
  const tokens = parts.map(([kind, text]) =>
    kind === '' ? text : create('span', { class: `t-${kind}` }, text),
  )
  return create('pre', { tabindex: '0' }, create('code', {}, ...tokens))
}
