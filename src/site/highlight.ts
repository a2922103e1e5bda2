import { tokenize } from './assets/highlight.js'
import { html, type Html } from './html.ts'

/** Longer sources are shown without color. */
const coloredLength = 65_536

/** `exchange` is a head whose common headers are dimmed. */
export function codeBlock(source: string, language: Parameters<typeof tokenize>[1]): Html {
  const tokens = source.length > coloredLength ? [['', source]] : tokenize(source, language)
  return html`<pre tabindex="0"><code>${tokens.map(([kind = '', text = '']) =>
    kind === '' ? text : html`<span class="t-${kind}">${text}</span>`,
  )}</code></pre>`
}

export function renderMethod(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}
