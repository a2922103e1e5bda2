import { create as toContentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, type Html } from '../../http/html.ts'
import { toJsonArray } from '../../http/json-array.ts'
import { chooseType } from '../../http/negotiate.ts'
import { pageAround } from '../../http/page.ts'
import { notFound } from '../../http/refusal.ts'
import { sendBytes } from '../../http/send-bytes.ts'
import { sendPieces } from '../../http/send.ts'
import type { House } from '../../room.ts'
import { eachPage, type Pages, type StoredRecord } from '../../storage/records/records.ts'
import type { Upload } from './save-upload.ts'

const offers = ['text/html', 'application/json', 'text/plain'] as const

/** All uploads, oldest first, streamed. */
export function listUploads({ records }: House) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, offers)
    const pages = eachPage(records, 'uploads')
    switch (type) {
      case 'text/html':
        return sendPieces(reply, type, uploadsPage(pages))
      case 'application/json':
        return sendPieces(reply, type, toJsonArray(pages, toRepresentation))
      case 'text/plain':
        return sendPieces(reply, type, toLines(pages))
    }
  }
}

/** One file, as an attachment that no browser will show or run here. */
export function sendUpload({ records, files }: House) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { id } = request.params as { id: string }
    const record = await records.find('uploads', id)
    if (record === undefined) throw notFound(`There is no upload ${id}.`)
    const { name, type, size, sha256 } = toUpload(record)
    reply.headers({
      'content-disposition': toContentDisposition(name),
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    })
    return sendBytes(request, reply, {
      type: isActive(type) ? 'application/octet-stream' : type,
      size,
      sha256,
      etag: `"${sha256}"`,
      lastModified: new Date(record.createdAt),
      open: (start, end) => files.read(id, start, end),
    })
  }
}

function toUpload({ document }: StoredRecord): Upload {
  return document as unknown as Upload
}

/** Whether a browser would run what is in it; with all the rest, one more wall. */
function isActive(type: string): boolean {
  return /html|xml|svg|script|pdf|multipart/i.test(type)
}

function toRepresentation(record: StoredRecord) {
  const { name, type, size, sha256 } = toUpload(record)
  return { _id: record.id, name, type, size, sha256, createdAt: record.createdAt }
}

async function* toLines(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) {
    yield page
      .map(toRepresentation)
      .map(({ _id, name, size }) => `${_id} ${String(size)} ${name}\n`)
      .join('')
  }
}

async function* uploadsPage(pages: Pages): AsyncGenerator<string> {
  const { opening, closing } = pageAround('Uploads')
  yield html`${opening}<p class="actions"><a class="button" href="/profile.html">Upload a file</a></p>
<section class="table" tabindex="0" aria-label="Uploads"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Bytes</th><th scope="col">SHA-256</th></tr></thead>
<tbody>
`.markup
  for await (const page of pages) yield page.map((record) => uploadRow(record).markup).join('')
  yield html`</tbody>
</table></section>
${closing}`.markup
}

function uploadRow(record: StoredRecord): Html {
  const { _id, name, type, size, sha256 } = toRepresentation(record)
  return html`<tr><td><a href="/uploads/${_id}">${name}</a></td><td>${type}</td><td>${size}</td><td><code>${sha256.slice(0, 12)}…</code></td></tr>
`
}
