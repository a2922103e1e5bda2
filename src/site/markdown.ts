import { Marked } from 'marked'
import { Html, html } from './html.ts'

/** Raw HTML in Markdown is text. */
const marked = new Marked({ renderer: { html: ({ text }) => html`${text}`.markup } })

export function renderMarkdown(text: string): Html {
  return new Html(marked.parse(text, { async: false }))
}

export function renderInline(text: string): Html {
  return new Html(marked.parseInline(text, { async: false }))
}
