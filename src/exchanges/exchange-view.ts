import { formatCount, formatNumber } from '../config/format-count.ts'
import { toQueryText } from '../http/request/target.ts'
import { formatBytes, formatDuration } from '../site/assets/size.js'
import { quoteForShell } from '../site/commands/commands.ts'
import { renderCodeBlock, renderCommand, renderMethod } from '../site/highlight.ts'
import { html, type Html } from '../site/html.ts'
import { renderStatus } from '../site/page.ts'
import { toStatusNote } from '../site/status-note.ts'
import { toPrettyBody } from './bodies.ts'
import { renderBody } from './body-view.ts'
import { findField, mask, type Exchange, type ExchangeBody, type Fields } from './exchange.ts'
import { renderFacts } from './facts-view.ts'
import { renderPairs, renderHead, renderMeaning } from './fields-view.ts'
import { toCommands, toReplay, toWindowsCommand } from './repeat.ts'
import { renderTiming } from './timing-view.ts'

interface Additions {
  links?: Html
  form?: Html
  /** The request body without its content coding, if it was recorded as sent. */
  decodedBody?: ExchangeBody | undefined
  cut?: { note: string; wholeUrl?: string | undefined } | undefined
}

/** Scripts show it on other pages, and as tabs. A bin records no response: the request is first. */
export function renderExchange(exchange: Exchange, additions: Additions = {}): Html {
  const { links = html`` } = additions
  const { method, effectiveMethod, target, ms, responseBody } = exchange
  const overridden =
    method === effectiveMethod ? '' : html` overridden to ${renderMethod(effectiveMethod)}`
  const size = responseBody === undefined ? '' : `${formatBytes(responseBody.size)}, `
  const note = toNote(exchange)
  return html`<div data-exchange="${exchange.id}" class="exchange">
<p class="line">${renderMethod(method)}${overridden} <code>${target}</code> ${renderOutcome(exchange)} <span class="quiet">${size}${formatDuration(ms)}</span></p>
${note === '' ? '' : html`<p class="note">${note}</p>\n`}<div data-tabs="Exchange">
${hasHead(exchange) ? renderResponse(exchange) : ''}${renderPart('Request', renderRequest(exchange, additions))}${
    hasHead(exchange) ? '' : renderPart('Response', renderMissing(exchange))
  }${renderPart('Timing', renderTiming(exchange))}${renderPart(
    'Code',
    html`${renderCommands(exchange, additions.cut?.wholeUrl)}${links}`,
  )}${renderPart('About', renderFacts(exchange))}</div>
</div>
`
}

function toNote(exchange: Exchange): string {
  const { status, isCutOff, fault, problem, responseFields, responseBody } = exchange
  const asked = fault === undefined ? '' : ` The request asked for the fault ${fault}.`
  if (status !== undefined && !isCutOff) {
    if (!hasHead(exchange)) return ''
    if (status === 200 && !responseBody?.size) return `The request succeeded.${asked}`
    return toStatusNote(status, asked === '' ? problem : '') + asked
  }
  const length = Number(findField(responseFields, 'content-length') ?? '')
  const sent = responseBody?.size ?? 0
  const lost = `The connection was lost before the ${status === undefined ? 'response' : 'end of the response'}.`
  const ofAll = `${formatNumber(sent)} of ${formatCount(length, 'byte')}`
  return (sent < length ? `Only ${ofAll} were sent.` : lost) + asked
}

function renderPart(name: string, content: Html): Html {
  return html`<figure class="part" data-part="${name.toLowerCase()}"><figcaption>${name}</figcaption>${content}</figure>\n`
}

export function renderOutcome({ status, isCutOff }: Pick<Exchange, 'status' | 'isCutOff'>): Html {
  const lost = html`<span class="status s5">cut off</span>`
  if (status === undefined) return lost
  return isCutOff ? html`${renderStatus(status)} ${lost}` : renderStatus(status)
}

const hasHead = ({ status, responseFields }: Exchange) =>
  status !== undefined && responseFields.length > 0

function renderResponse(exchange: Exchange): Html {
  const { responseFields, responseBody, responseHead, trailerFields = [] } = exchange
  return html`${renderPart('Body', html`${renderBody(responseBody, responseFields)}${renderMeaning(exchange)}`)}${renderPart(
    'Headers',
    html`${renderHead(responseHead, 'service')}${renderPairs('Trailers', trailerFields)}`,
  )}`
}

function renderMissing({ status }: Exchange): Html {
  return html`<p class="quiet">${status === undefined ? 'There is no response.' : 'Only the status of the response is recorded.'}</p>`
}

function renderRequest(exchange: Exchange, { form = html``, decodedBody, cut }: Additions): Html {
  const { target, requestHead, requestFields, requestBody, requestTrailerFields = [] } = exchange
  const { fields = [] } = toPrettyBody(decodedBody ?? requestBody, requestFields)
  return html`${renderHead(requestHead, 'browser')}${renderPairs('Query parameters', toParameters(target))}${renderPairs('Form fields', fields)}${form}${
    requestBody === undefined
      ? ''
      : html`<h2>Body</h2>\n${renderBody(requestBody, requestFields, { decodedBody, cutNote: cut?.note })}`
  }${renderPairs('Trailers', requestTrailerFields)}${renderSource(requestBody, requestFields)}`
}

/** The body as it was sent, if the one that is shown differs. */
function renderSource(body: ExchangeBody | undefined, fields: Fields): Html {
  const { text } = body ?? {}
  if (text === undefined || text === toPrettyBody(body, fields).text) return html``
  return html`<details><summary>Body as sent</summary>${renderCodeBlock(text, 'plain')}</details>\n`
}

const toParameters = (target: string): Fields => [...new URLSearchParams(toQueryText(target))]

function renderCommands(exchange: Exchange, bodyUrl?: string): Html {
  const { curl, fetch, python, httpie, go } = toCommands(exchange)
  const windows = toWindowsCommand(exchange)
  const isStored = curl.endsWith('@content')
  const hasUrl = isStored && bodyUrl !== undefined
  const download = hasUrl ? `curl -f -o content ${quoteForShell(bodyUrl)} &&\n` : ''
  const remedy = hasUrl
    ? html` The command for curl saves its body to the file <code>content</code>, which the others need.`
    : html` Its body was not recorded completely: save it to the file <code>content</code> first.`
  const hasMask = JSON.stringify([exchange.requestFields, exchange.requestBody]).includes(mask)
  const replay = toReplay(exchange, bodyUrl)
  return html`<div data-part="commands">
<p>Repeat this request.${isStored ? remedy : ''}${curl.includes('=@file.txt;') ? html` Save the file to send as <code>file.txt</code> first.` : ''}${hasMask ? ' Secrets are masked or left out.' : ''}${exchange.requestTrailerFields ? ' Its trailers are left out.' : ''}</p>
${replay === undefined ? '' : html`<p class="actions scripted"><button type="button" class="second" data-replay="${JSON.stringify(replay)}">Replay in this browser</button></p>\n<div class="result" hidden></div>\n`}<div data-tabs="Command">
${renderCommand('curl', download + curl)}${windows === undefined ? '' : renderCommand('Windows (cmd)', windows)}${renderCommand('fetch', fetch)}${renderCommand('Python', python)}${renderCommand('HTTPie', httpie)}${renderCommand('Go', go)}</div>
</div>
`
}
