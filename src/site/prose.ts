import { html, type Html } from './html.ts'

export function renderProse(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${renderPhrases(paragraph)}</p>\n`)}`
}

export function renderPhrases(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\(\/[^)]*\))/)
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    const [, label, path] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? []
    return label && path ? html`<a href="${path}">${label}</a>` : part
  })}`
}
