import { isUnquoted } from '../http/response/preconditions.ts'
import { formatDuration } from '../site/assets/size.js'
import { html, type Html, type HtmlValue } from '../site/html.ts'
import { maxRows } from './fields-view.ts'
import { findField, type Exchange, type Fields } from './exchange.ts'

function toReuse({ requestsBefore }: Exchange['connection']): string {
  if (requestsBefore === undefined) return ''
  if (requestsBefore === 0) return ', its first request'
  return `, request ${String(requestsBefore + 1)} on the connection`
}

/** What is known of an exchange beside its messages. What has no meaning for it is left out. */
export function renderFacts(exchange: Exchange): Html {
  const { demo, route, httpVersion, tls, connection, client, rateLimit } = exchange
  const { stub, alternative } = exchange
  const { fault, step, requestTrailerFields, trailerFields, receivedAt, ms } = exchange
  const isWhole = exchange.responseFields.length > 0
  const time = receivedAt.slice(0, 23)
  const facts: readonly (readonly [name: string, value: HtmlValue | undefined])[] = [
    [
      'Received',
      html`<time datetime="${time}Z">${time.replace('T', ' ')} UTC</time>, from ${client}, for ${formatDuration(ms)}`,
    ],
    ['Representation', renderRepresentation(exchange)],
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
    ['ID', html`<code>${exchange.id}</code>`],
    ['Fault', fault && html`<code>${fault}</code>`],
    ['Stub', stub && html`<code>${stub}</code>, alternative ${String(alternative)}`],
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

function renderValidators(exchange: Exchange): HtmlValue | undefined {
  const { responseFields, requestFields, preconditions } = exchange
  const list = (fields: Fields, names: readonly string[]) =>
    names.flatMap((name) => {
      const value = findField(fields, name.toLowerCase())
      return value === undefined ? [] : html`<code>${name}: ${value}</code> `
    })
  const sent = list(responseFields, ['ETag', 'Last-Modified'])
  const names = 'If-Match If-None-Match If-Modified-Since If-Unmodified-Since If-Range'.split(' ')
  const conditions = list(requestFields, names)
  if (preconditions === undefined) return sent.length === 0 ? undefined : sent
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
  return html`${sent}${sent.length === 0 ? '' : html`<br>`}${given}was compared with <code>${current}</code>: ${outcomes[outcome]}.${hint}`
}

function renderRepresentation(exchange: Exchange): HtmlValue | undefined {
  const { negotiation, requestFields, responseFields } = exchange
  if (negotiation === undefined) return undefined
  const { chosen, by, offers } = negotiation
  if (chosen === undefined) return `None is acceptable. Available: ${offers.join(', ')}.`
  // RFC 9457 §3: an error as JSON has a type of its own.
  const sent = findField(responseFields, 'content-type')?.replace(/\s*;.*$/s, '') ?? chosen
  const others = offers.filter((offer) => offer !== chosen && offer !== sent).join(', ')
  const also = others === '' ? '' : ` Also available: ${others}.`
  const accept = findField(requestFields, 'accept') ?? ''
  const preference = accept.length > 60 ? 'Accept' : `Accept: ${accept}`
  const reasons = {
    suffix: 'chosen by the suffix of the URL.',
    default: html`the default without an Accept header.${also}`,
    accept: html`the best match for <code>${preference}</code>.${also}`,
  }
  return html`<code>${sent}</code>, ${reasons[by]}`
}
