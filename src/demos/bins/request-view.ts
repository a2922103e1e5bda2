import { formatMebibytes } from '../../config/format-count.ts'
import { toPrettyBody } from '../../exchanges/bodies.ts'
import { findField, type ExchangeBody, type Fields } from '../../exchanges/exchange.ts'
import { renderExchange } from '../../exchanges/exchange-view.ts'
import { renderPairs } from '../../exchanges/fields-view.ts'
import { toBytes } from '../../exchanges/message-http.ts'
import { maxRecordedContent } from '../../http/body/decode-content.ts'
import { formatBytes } from '../../site/assets/size.js'
import { renderCommand } from '../../site/highlight.ts'
import { html, type Html } from '../../site/html.ts'
import type { Page } from '../../site/page.ts'
import type { OpenedBin } from './access.ts'
import { toBack, requestToExchange, toRequestPath } from './captured-request.ts'
import type { CapturedRequest, RequestBody } from './captured-request.ts'
import type { filesToJson } from './send-body.ts'
import { files, renderRemoval, toForwardCommand } from './views.ts'

type FileList = ReturnType<typeof filesToJson>

interface ShownRequest {
  fields: Fields
  files: FileList
  shareUrl: string
  decodedBody: ExchangeBody | undefined
}

export function renderRequestPage(
  { secret }: OpenedBin,
  request: CapturedRequest,
  { fields, files: sent, shareUrl, decodedBody }: ShownRequest,
): Page {
  const { bin, id, method, path, requestBody, isTooLarge } = request
  const url = toRequestPath(bin)(id)
  const isOwner = secret !== ''
  const query = isOwner ? '' : new URL(shareUrl).search
  const exchange = requestToExchange(request)
  // Those of a URL-encoded form are shown with the request.
  const own = toPrettyBody(decodedBody, exchange.requestFields).fields ? [] : fields
  const download = html`<p class="actions"><a class="button second small" href="${url}/body${query}">Download the ${isTooLarge ? 'start of the ' : ''}body</a></p>
`
  const form = html`${renderCodingProblem(request, decodedBody)}${renderPairs('Form fields', own)}${sent.length === 0 ? '' : renderFiles(sent, query)}${requestBody && !isUnsent(requestBody) ? download : ''}`
  const cut = toCut(request, shareUrl)
  const { origin } = new URL(shareUrl)
  const forward = `${toForwardCommand(`${origin}/bins/${bin}`, secret)} --only ${id}`
  const links = isOwner
    ? html`${renderCommand('Forward it to a local service, in a clone of Vitrine', forward)}`
    : html``
  return {
    title: `${method} ${path}`,
    ...(isOwner && { back: toBack(bin) }),
    ...files,
    main: html`${renderExchange(exchange, { form, cut, links, decodedBody })}${isOwner ? renderSharing(shareUrl, url) : ''}`,
  }
}

function renderCodingProblem(
  { requestBody, requestFields }: CapturedRequest,
  decodedBody: ShownRequest['decodedBody'],
): Html {
  const coding = findField(requestFields, 'content-encoding') ?? 'identity'
  const isDecoded = decodedBody?.hex !== requestBody?.hex
  if (/^identity$/i.test(coding) || requestBody === undefined || isDecoded) return html``
  return html`<p class="note"><code>Content-Encoding</code> is ${coding}, but the body could not be decoded, or has more than ${formatMebibytes(maxRecordedContent)} without this coding.</p>\n`
}

/** A client sends no body after `Expect: 100-continue` and 413. */
const isUnsent = (body: RequestBody) => body.isCut && toBytes(body).length === 0

function toCut({ isTooLarge, requestBody }: CapturedRequest, shareUrl: string) {
  if (requestBody?.isCut !== true) return undefined
  if (isUnsent(requestBody))
    return { note: 'The body was not sent, since the client waited for 100 (Continue).' }
  const kept = formatBytes(toBytes(requestBody).length)
  return isTooLarge
    ? { note: `Only the first ${kept} were kept (BIN_MAX_BODY_BYTES).` }
    : {
        note: 'Only the start is shown. Download the body.',
        wholeUrl: shareUrl.replace('?', '/body?'),
      }
}

function renderSharing(link: string, url: string): Html {
  return html`<div data-part="own"><details><summary>Share this request</summary>
<p>Anyone with <a href="${link}">this link</a> can read this request, but not the bin, until you remove the request.</p>
${renderCommand('Link to this request', link)}</details>
<div class="actions">${renderRemoval(url, 'this request')}</div></div>
`
}

function renderFiles(sent: FileList, query: string): Html {
  return html`<h3>Files</h3>
<ul>
${sent.map(({ name, url, size, field }) => html`<li><a href="${url}${query}">${name}</a> <span class="quiet">${formatBytes(size)}, in the field ${field}</span></li>\n`)}</ul>
`
}
