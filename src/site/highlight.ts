import { tokenize } from './assets/highlight.js'
import { html, type Html } from './html.ts'

const coloredLength = 65_536

type Language = Parameters<typeof tokenize>[1] | 'plain'

export function renderCodeBlock(source: string, language: Language): Html {
  const isPlain = language === 'plain' || source.length > coloredLength
  const tokens = isPlain ? [['', source]] : tokenize(source, language)
  return html`<pre tabindex="0"><code>${tokens.map(([kind = '', text = '']) =>
    kind === '' ? text : html`<span class="t-${kind}">${text}</span>`,
  )}</code></pre>`
}

/** `commands.js` adds a copy button. */
export function renderCommand(label: string, source: string, language: Language = 'code'): Html {
  return html`<figure class="command"><figcaption>${label}</figcaption>${renderCodeBlock(source, language)}</figure>\n`
}

export function renderMethod(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}
