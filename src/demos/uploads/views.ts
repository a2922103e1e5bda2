import { formatCount } from '../../config/format-count.ts'
import { html, type Html } from '../../site/html.ts'
import { renderPageAround, renderTime, type Page, type PagePlace } from '../../site/page.ts'
import { formatBytes } from '../../site/assets/size.js'
import type { StoredUpload, UploadServices } from './save-upload.ts'

export function renderUploaded(
  { _id, name, type, size, sha256, createdAt }: StoredUpload,
  formPath: string,
): Page {
  return {
    title: 'Uploaded',
    styles: ['uploads.css'],
    main: html`<p class="lead">The upload succeeded: ${name}, ${formatCount(size, 'byte')}, is stored at
<a href="/uploads/${_id}">/uploads/${_id}</a>.</p>
<dl class="card">
<dt>Name</dt><dd dir="auto">${name}</dd>
<dt>Type</dt><dd><code>${type}</code></dd>
<dt>Size</dt><dd>${sizeInWords(size)}</dd>
<dt>SHA-256</dt><dd><code data-part="sha256">${sha256}</code></dd>
<dt>Received</dt><dd>${renderTime(createdAt)}</dd>
</dl>
<p class="quiet">The server computed this digest from the bytes that it received. Compare it with the output of
<code>sha256sum</code> for your file.</p>
<p class="actions"><a class="button" href="${formPath}">Upload another file</a>
<a class="button second" href="/uploads">All uploads</a></p>`,
  }
}

export async function* renderUploads(
  place: PagePlace,
  pages: AsyncIterable<readonly StoredUpload[]>,
  {
    config,
    formPath,
    flash,
  }: Pick<UploadServices, 'config' | 'formPath'> & { flash: Html | undefined },
): AsyncGenerator<string> {
  const { opening, closing } = renderPageAround(place, {
    title: 'Uploads',
    styles: ['lists.css'],
  })
  yield opening.markup
  const isReadOnly =
    config.readOnly || ('raw' in place.request && place.request.raw.sandbox?.isReadOnly === true)
  yield html`${flash ?? ''}<p class="lead">All uploads, oldest first. A file can be up to ${formatBytes(config.maxUploadBytes)}. Downloads are served as
attachments so that browsers do not run them.</p>
${
  isReadOnly
    ? ''
    : html`<p class="actions"><a class="button" href="${formPath}">Upload a file</a></p>
`
}`.markup
  let isEmpty = true
  for await (const uploads of pages) {
    if (uploads.length === 0) continue
    if (isEmpty) yield tableOpening.markup
    isEmpty = false
    yield uploads.map((upload) => renderUploadRow(upload, isReadOnly).markup).join('')
  }
  yield isEmpty
    ? html`<p class="empty">No uploads yet. Upload a file to see it here.</p>`.markup
    : '</tbody>\n</table></section></div>'
  yield closing.markup
}

const tableOpening = html`<div class="listing"><section class="table" aria-label="Uploads"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col" class="number">Size</th><th scope="col">Received</th><th scope="col">SHA-256</th><td></td></tr></thead>
<tbody>
`

function renderUploadRow(upload: StoredUpload, isReadOnly: boolean): Html {
  const { _id, name, type, size, sha256, createdAt } = upload
  const removal = html`<details class="confirm"><summary>Delete</summary><form method="post" action="/uploads/${_id}"><input type="hidden" name="_method" value="DELETE"><p>This cannot be undone.</p><p><button type="submit" class="danger">Yes, delete it</button></p></form></details>`
  return html`<tr><th scope="row" dir="auto"><a href="/uploads/${_id}">${name}</a></th><td data-label="Type">${type}</td><td data-label="Size" class="number">${sizeInWords(size)}</td><td data-label="Received">${renderTime(createdAt)}</td><td data-label="SHA-256"><code title="${sha256}">${sha256.slice(0, 12)}…</code></td><td>${isReadOnly ? '' : removal}</td></tr>
`
}

function sizeInWords(size: number): Html {
  return html`<data value="${size}" title="${formatCount(size, 'byte')}">${formatBytes(size)}</data>`
}
