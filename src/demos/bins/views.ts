import { renderCommand, renderMethod } from '../../site/highlight.ts'
import { html, type Html } from '../../site/html.ts'
import { renderTime, type Page } from '../../site/page.ts'
import { toExpiry } from './bin-ids.ts'
import type { Bin } from './bin-store.ts'
import type { Summary } from './captured-request.ts'

const back = ['/bins', 'Request bins'] as const

export function renderBinsPage(ids: readonly string[], days: number): Page {
  return {
    title: 'Request bins',
    main: html`<p class="lead">A bin is a URL that captures every request, for example of a webhook or of your own client. Its page shows
each request as soon as it arrives.</p>
<form method="post" action="/bins"><p class="actions"><button type="submit">Create a bin</button></p></form>
<p class="quiet">A bin is removed after ${days} days. Whoever knows its URL can send to it. Only who has its secret, which this
browser keeps as a cookie, can read it.</p>
<h2>Bins of this browser</h2>
${ids.length === 0 ? html`<p class="empty">None yet.</p>` : html`<ul>\n${ids.map(renderBinLink)}</ul>`}
`,
  }
}

function renderBinLink(id: string): Html {
  const until = toExpiry(id)?.toISOString() ?? ''
  return html`<li><a href="/bins/${id}"><code>${id}</code></a> <span class="quiet">until ${renderTime(until)}</span></li>\n`
}

/** With the newest requests first. */
export function renderBinPage(bin: Bin, origin: string, requests: readonly Summary[]): Page {
  const { id, expiresAt, response } = bin
  const url = `${origin}/b/${id}/`
  return {
    title: 'Request bin',
    back,
    main: html`<p class="lead">Every request to this URL, and to each path below it, is captured until ${renderTime(expiresAt)}:</p>
${renderCommand('URL', url)}${renderCommand('curl', `curl ${url}hook --json '{"id":1}'`)}
${renderRequests(id, requests)}
<details><summary>Response of the bin</summary>
<form method="post" action="/bins/${id}">
<input type="hidden" name="_method" value="PATCH">
<p class="field"><label for="response">The description of the response, as for <code>/responses/custom</code>, or a sequence</label>
<textarea id="response" name="response" rows="8" spellcheck="false">${JSON.stringify(JSON.parse(response), undefined, 2)}</textarea></p>
<p class="actions"><button type="submit">Save</button></p>
</form>
</details>
<form method="post" action="/bins/${id}/requests"><input type="hidden" name="_method" value="DELETE">
<p class="actions"><button type="submit" class="second">Remove all requests</button></p></form>
<form method="post" action="/bins/${id}"><input type="hidden" name="_method" value="DELETE">
<p class="actions"><button type="submit" class="second">Remove the bin</button></p></form>
`,
  }
}

function renderRequests(bin: string, requests: readonly Summary[]): Html {
  if (requests.length === 0) return html`<p class="empty">No requests yet.</p>`
  const rows = requests.map(
    ({ id, receivedAt, method, path, size }) =>
      html`<tr><td>${renderTime(receivedAt)}</td><td>${renderMethod(method)}</td><th scope="row"><a href="/bins/${bin}/requests/${id}"><code>${path}</code></a></th><td class="number">${size}</td></tr>\n`,
  )
  return html`<div class="table" tabindex="0" role="group" aria-label="Requests"><table>
<thead><tr><th scope="col">Time</th><th scope="col">Method</th><th scope="col">Path</th><th scope="col" class="number">Bytes</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`
}
