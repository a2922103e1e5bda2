import { html, type Html } from '../html.ts'

export function prose(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${phrases(paragraph)}</p>\n`)}`
}

export function phrases(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part
  })}`
}
