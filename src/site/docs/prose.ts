import { html, type Html } from '../html.ts'

export function renderProse(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${renderPhrases(paragraph)}</p>\n`)}`
}

/** Text with `code` and **strong** parts. */
export function renderPhrases(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part
  })}`
}
