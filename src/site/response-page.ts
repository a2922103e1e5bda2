import { STATUS_CODES } from '../http/node-http.ts'
import { toDemoPath, type Demo } from './demo.ts'
import { renderCodeBlock } from './highlight.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import { toStatusNote } from './status-note.ts'

export function renderResponsePage(
  status: number,
  demo: Pick<Demo, 'name' | 'title'>,
  { body, mediaType }: { body: string; mediaType: string },
): Page {
  const isJson = mediaType === 'application/json'
  const shown = isJson ? JSON.stringify(JSON.parse(body), undefined, 2) : body
  const text = html`<pre tabindex="0"><code dir="auto">${shown}</code></pre>`
  return {
    title: `${String(status)} ${STATUS_CODES[status] ?? ''}`.trim(),
    description: `A response of the demo ${demo.title}.`,
    main: html`<p class="lead">${toStatusNote(status)}</p>
<p>As <code>${mediaType}</code>, the body is${shown === '' ? ' empty.' : ':'}</p>
${shown === '' ? '' : isJson ? renderCodeBlock(shown, 'json') : text}<p class="actions"><a class="button" href="${toDemoPath(demo.name)}">Back to ${demo.title}</a></p>`,
  }
}
