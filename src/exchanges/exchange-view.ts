import { formatCount, formatNumber } from '../config/format-count.ts'
import { toQueryText } from '../http/request/target.ts'
import { isUnquoted } from '../http/response/preconditions.ts'
import { formatBytes } from '../site/assets/size.js'
import { renderCodeBlock, renderCommand, renderMethod } from '../site/highlight.ts'
import { html, type Html, type HtmlValue } from '../site/html.ts'
import { renderStatus } from '../site/page.ts'
import { toStatusNote } from '../site/status-note.ts'
import { toPrettyBody } from './bodies.ts'
import { quoteForShell } from '../site/commands/commands.ts'
import { findField, mask, type Exchange, type ExchangeBody, type Fields } from './exchange.ts'
import { toCommands, toReplay, toWindowsCommand } from './repeat.ts'
import { renderTiming } from './timing-view.ts'

interface Additions {
  links?: Html
  form?: Html
  /** The request body without its content coding, if it was recorded as sent. */
  decodedBody?: ExchangeBody | undefined
  cut?: { note: string; wholeUrl?: string | undefined } | undefined
}

/** Scripts show it on other pages, and as tabs. */
export function renderExchange(exchange: Exchange, additions: Additions = {}): Html {
  const { links = html``, form = html`` } = additions
  const { method, effectiveMethod, target, ms, receivedAt, client } = exchange
  const overridden =
    method === effectiveMethod ? '' : html` overridden to ${renderMethod(effectiveMethod)}`
  const { requestFields, requestBody, requestTrailerFields = [] } = exchange
  const { cut, decodedBody = requestBody } = additions
  const hasFields = toPrettyBody(decodedBody, requestFields).fields !== undefined
  const note = toNote(exchange)
  return html`<div data-exchange="${exchange.id}" class="exchange">
<p class="line">${renderMethod(method)}${overridden} <code>${target}</code> ${renderOutcome(exchange)}
<span class="quiet">${ms.toFixed(1)} ms on the server, <time datetime="${receivedAt.slice(0, 23)}Z">${receivedAt.slice(0, 23).replace('T', ' ')} UTC</time>, from ${client}</span></p>
${note === '' ? '' : html`<p class="note">${note}</p>\n`}<div data-tabs="Exchange">
${renderPart('Overview', renderOverview(exchange, { ...additions, form, decodedBody }))}${renderPart(
    'Request',
    html`${renderMessage(requestFields, requestBody, { target, decodedBody })}${hasFields ? '' : form}${renderFields('Trailers', requestTrailerFields)}`,
  )}${renderPart('Response', renderResponse(exchange))}${renderPart(
    'Timing',
    renderTiming(exchange),
  )}${renderPart('Code', html`${renderCommands(exchange, cut?.wholeUrl)}${links}`)}</div>
</div>
`
}

function toNote(exchange: Exchange): string {
  const { status, isCutOff, fault, responseFields, responseBody } = exchange
  if (status !== undefined && !isCutOff) return hasHead(exchange) ? toStatusNote(status) : ''
  const length = Number(findField(responseFields, 'content-length') ?? '')
  const sent = responseBody?.size ?? 0
  const lost = `The connection was lost before the ${status === undefined ? 'response' : 'end of the response'}.`
  const ofAll = `${formatNumber(sent)} of ${formatCount(length, 'byte')}`
  const end = sent < length ? `Only ${ofAll} were sent.` : lost
  return fault === undefined ? end : `${end} The request asked for the fault ${fault}.`
}

function renderPart(name: string, content: Html): Html {
  return html`<figure class="part"><figcaption>${name}</figcaption>${content}</figure>\n`
}

export function renderOutcome({ status, isCutOff }: Pick<Exchange, 'status' | 'isCutOff'>): Html {
  const lost = html`<span class="status s5">cut off</span>`
  if (status === undefined) return lost
  return isCutOff ? html`${renderStatus(status)} ${lost}` : renderStatus(status)
}

const hasHead = ({ status, responseFields }: Exchange) =>
  status !== undefined && responseFields.length > 0

function renderResponse(exchange: Exchange): Html {
  const { status, responseFields, responseBody } = exchange
  const { earlyHintFields = [], trailerFields = [] } = exchange
  if (hasHead(exchange))
    return html`${renderFields('Early hints', earlyHintFields)}${renderMessage(responseFields, responseBody)}${renderFields('Trailers', trailerFields)}`
  return html`<p class="quiet">${status === undefined ? 'There is no response.' : 'Only the status of the response is recorded.'}</p>`
}

function renderOverview(exchange: Exchange, { form = html``, decodedBody, cut }: Additions): Html {
  const { requestHead, requestFields, requestBody } = exchange
  const { responseHead, responseFields, responseBody } = exchange
  return html`${renderFacts(exchange)}
<div class="heads">
${renderWhole('Request', requestHead, html`${form}${renderBody(requestBody, requestFields, { decodedBody, cut })}`)}${renderWhole(
    'Response',
    responseHead,
    renderBody(responseBody, responseFields),
  )}</div>
`
}

function renderWhole(title: string, head: string, body: Html): Html {
  return html`<div role="group" aria-label="${title}"><p class="quiet">${title}</p>
${renderCodeBlock(head.trimEnd(), 'exchange')}${body}</div>
`
}

function renderBody(
  body: ExchangeBody | undefined,
  fields: Fields,
  { decodedBody = body, cut }: Pick<Additions, 'decodedBody' | 'cut'> = {},
): Html {
  if (body === undefined || decodedBody === undefined || body.size === 0) return html``
  const { text, language } = toPrettyBody(decodedBody, fields)
  const isPlain = language === 'text' || language === 'hex'
  const cutNote = body.isCut ? ` ${cut?.note ?? 'Only the start was recorded.'}` : ''
  const code = renderCodeBlock(text, isPlain ? 'plain' : language)
  const block = language === 'hex' ? html`<div class="hex">${code}</div>` : code
  return html`${text === '' ? '' : block}<p class="quiet">${toBodyNote(decodedBody, fields, text)}${body.hex === decodedBody.hex ? '' : ' Decoded.'}${cutNote}</p>\n`
}

function toBodyNote({ size, text }: ExchangeBody, fields: Fields, shown: string): string {
  const type = findField(fields, 'content-type') ?? 'without Content-Type'
  const formatted =
    text === shown ? '' : ' Formatted: only white space differs from the body as sent.'
  const notation = text === undefined ? ' Shown in hexadecimal notation.' : formatted
  const coding = findField(fields, 'content-encoding')
  const sent = coding === undefined ? '' : `, sent with Content-Encoding: ${coding}`
  return `${formatBytes(size)}${sent}, ${type}.${notation}`
}

function renderMessage(
  fields: Fields,
  body: ExchangeBody | undefined,
  { target, decodedBody = body }: { target?: string; decodedBody?: ExchangeBody | undefined } = {},
): Html {
  const pretty = toPrettyBody(decodedBody, fields)
  const query = target === undefined ? [] : toParameters(target)
  return html`${renderFields('Query parameters', query)}${renderFields('Headers', fields)}${renderFields(
    'Form fields',
    pretty.fields ?? [],
  )}${renderSource(body, pretty.text)}`
}

function renderSource(body: ExchangeBody | undefined, shown: string): Html {
  if (body === undefined || body.size === 0) return html`<p class="quiet">There is no body.</p>`
  const { text = shown } = body
  if (text === shown) return html`<p class="quiet">The body is in the overview.</p>`
  return html`<h2>Body as sent</h2>\n${renderCodeBlock(text, 'plain')}`
}

function toParameters(target: string): Fields {
  return [...new URLSearchParams(toQueryText(target))]
}

/** A form of 64 KiB can have 30,000 fields, and be a few bytes when it is compressed. */
const maxRows = 500

export function renderFields(title: string, fields: Fields): Html {
  if (fields.length === 0) return html``
  const rest = fields.length - maxRows
  const more =
    rest > 0 ? html`<p class="quiet">${formatNumber(rest)} more are not shown.</p>\n` : ''
  return html`<h2>${title}</h2>
<div class="table" tabindex="0" role="group" aria-label="${title}"><table class="fields"><tbody>
${fields.slice(0, maxRows).map(([name, value]) => html`<tr><th scope="row"><code>${name}</code></th><td><code>${renderValue(value)}</code></td></tr>\n`)}</tbody></table></div>
${more}`
}

function renderValue(value: string): HtmlValue {
  const parts = value.split(mask)
  const hidden = html`<span class="masked" title="A secret, which is not shown">${mask}</span>`
  return parts.map((part, index) => (index === 0 ? part : html`${hidden}${part}`))
}

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

function toReuse({ requestsBefore }: Exchange['connection']): string {
  if (requestsBefore === undefined) return ''
  if (requestsBefore === 0) return ', its first request'
  return `, request ${String(requestsBefore + 1)} on the connection`
}

function renderFacts(exchange: Exchange): Html {
  const { demo, route, httpVersion, tls, connection, client, rateLimit } = exchange
  const { fault, step, requestTrailerFields, trailerFields } = exchange
  const isWhole = hasHead(exchange)
  const facts: readonly (readonly [name: string, value: HtmlValue | undefined])[] = [
    ['Id', html`<code>${exchange.id}</code>`],
    ['Representation', isWhole ? renderRepresentation(exchange) : undefined],
    ['Validators', isWhole ? renderValidators(exchange) : undefined],
    ['Route', route && html`<code>${route}</code>${demo ? ` in the demo ${demo}` : ''}`],
    [
      'Connection',
      `HTTP/${httpVersion}${tls ? ` over ${tls}` : ' without TLS'}, from ${connection.remoteAddress || client}${toReuse(connection)}`,
    ],
    [
      'Rate limit',
      rateLimit &&
        html`${rateLimit.isExceeded ? 'Exceeded: ' : ''}<code>${rateLimit.state}</code>, policy <code>${rateLimit.policy}</code>`,
    ],
    ['Fault', fault && html`<code>${fault}</code>`],
    ['Step of the sequence', step],
    ...toTrailerFacts('Request trailer', requestTrailerFields),
    ...toTrailerFacts('Trailer', trailerFields),
  ]
  return html`<dl>
${facts.map(([name, value]) => (value === undefined ? '' : html`<dt>${name}</dt><dd>${value}</dd>\n`))}</dl>`
}

const toTrailerFacts = (title: string, fields: Fields = []) =>
  fields.slice(0, maxRows).map((field) => [title, html`<code>${field.join(': ')}</code>`] as const)

const outcomes = {
  proceed: 'the request was processed',
  'not modified': 'they match, and the response has no body',
  failed: 'they do not match, and nothing was changed',
}

function renderValidators({ responseFields, requestFields, preconditions }: Exchange): HtmlValue {
  const list = (fields: Fields, names: readonly string[]) =>
    names.flatMap((name) => {
      const value = findField(fields, name.toLowerCase())
      return value === undefined ? [] : html`<code>${name}: ${value}</code> `
    })
  const sent = list(responseFields, ['ETag', 'Last-Modified'])
  const names = 'If-Match If-None-Match If-Modified-Since If-Unmodified-Since If-Range'.split(' ')
  const conditions = list(requestFields, names)
  const shown = sent.length === 0 ? 'None: a cache cannot revalidate this response.' : sent
  if (preconditions === undefined) return shown
  // A form has a field in place of the header.
  const isField = conditions.length === 0
  const given = isField ? html`The field <code>_if_match</code> ` : conditions
  const { etags, lastModified, outcome } = preconditions
  // RFC 9110 §13.2.2: a condition with ETags takes precedence over one with a date.
  const tags = names
    .slice(0, 2)
    .flatMap((name) => findField(requestFields, name.toLowerCase()) ?? [])
  const current = (isField || tags.length > 0 ? etags.join(', ') : lastModified) || 'none'
  const isWeak = outcome === 'failed' && findField(requestFields, 'if-match')?.includes('W/"')
  const hint = tags.some(isUnquoted)
    ? ' An entity tag has quotation marks, which this one lacks.'
    : isWeak
      ? ' If-Match never matches a weak entity tag, which begins with W/.'
      : ''
  return html`${shown}<br>${given}was compared with <code>${current}</code>: ${outcomes[outcome]}.${hint}`
}

function renderRepresentation({ negotiation, requestFields }: Exchange): Html | string {
  if (negotiation === undefined) return 'Not negotiated: this URL has one representation.'
  const { chosen, by, offers } = negotiation
  const others = offers.filter((offer) => offer !== chosen).join(', ')
  if (chosen === undefined) return `None is acceptable. Available: ${others}.`
  const also = others === '' ? '' : ` Also available: ${others}.`
  const accept = findField(requestFields, 'accept') ?? ''
  const preference = accept.length > 60 ? 'Accept' : `Accept: ${accept}`
  const reasons = {
    suffix: 'chosen by the suffix of the URL.',
    default: html`the default without an Accept header.${also}`,
    accept: html`the best match for <code>${preference}</code>.${also}`,
  }
  return html`<code>${chosen}</code>, ${reasons[by]}`
}
