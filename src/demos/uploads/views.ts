import { html, type Html } from '../../site/html.ts'
import { page, pageAround, time } from '../../site/page.ts'
import type { StoredUpload } from './save-upload.ts'
import { formatBytes } from './size.ts'

/** What arrived, for whoever sent it with a form. */
export function uploadedPage(upload: StoredUpload): Html {
  const { id, name, type, size, sha256, createdAt } = upload
  return page({
    title: 'Uploaded',
    main: html`<p class="lead">The upload succeeded: ${name}, ${size} bytes, is kept at
<a href="/uploads/${id}">/uploads/${id}</a>.</p>
<dl>
<dt>Name</dt><dd>${name}</dd>
<dt>Type</dt><dd><code>${type}</code></dd>
<dt>Size</dt><dd>${sizeInWords(size)}</dd>
<dt>SHA-256</dt><dd><code>${sha256}</code></dd>
<dt>Received</dt><dd>${time(createdAt)}</dd>
</dl>
<p class="quiet">The digest is that of the bytes which arrived: compare it with what
<code>sha256sum</code> says of the file that you have.</p>
<p class="actions"><a class="button" href="/profile.html">Upload another file</a>
<a class="button second" href="/uploads">All uploads</a></p>`,
  })
}

/** The page of all uploads, in pieces as they come from the store. */
export async function* uploadsPage(
  pages: AsyncIterable<readonly StoredUpload[]>,
  maxBytes: number,
): AsyncGenerator<string> {
  const { opening, closing } = pageAround('Uploads')
  yield html`${opening}<p class="lead">What was uploaded, oldest first. A file may have up to ${formatBytes(maxBytes)}; it comes
back as an attachment, which no browser runs here.</p>
<p class="actions"><a class="button" href="/profile.html">Upload a file</a></p>
`.markup
  let isEmpty = true
  for await (const uploads of pages) {
    if (uploads.length === 0) continue
    if (isEmpty) yield tableOpening.markup
    isEmpty = false
    yield uploads.map((upload) => uploadRow(upload).markup).join('')
  }
  yield isEmpty
    ? html`<p class="empty">Nothing was uploaded yet.</p>`.markup
    : '</tbody>\n</table></section>'
  yield closing.markup
}

const tableOpening = html`<section class="table uploads" tabindex="0" aria-label="Uploads"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col" class="number">Size</th><th scope="col">Received</th><th scope="col">SHA-256</th></tr></thead>
<tbody>
`

function uploadRow({ id, name, type, size, sha256, createdAt }: StoredUpload): Html {
  return html`<tr><th scope="row"><a href="/uploads/${id}">${name}</a></th><td>${type}</td><td class="number">${sizeInWords(size)}</td><td>${time(createdAt)}</td><td><code title="${sha256}">${sha256.slice(0, 12)}…</code></td></tr>
`
}

function sizeInWords(size: number): Html {
  return html`<data value="${size}" title="${size.toLocaleString('en')} bytes">${formatBytes(size)}</data>`
}
