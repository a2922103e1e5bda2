import { diff } from 'node:util'
import { toPrettyBody } from './bodies.ts'
import type { Exchange, ExchangeBody, Fields } from './exchange.ts'

export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

export interface DiffPart {
  name: string
  lines: readonly DiffLine[]
  note?: string | undefined
  /** It says nothing about the exchanges: it differs between any two. */
  isFolded?: boolean
}

const volatileNames = {
  request: 'Request headers that always differ',
  response: 'Response headers that always differ',
}

/** Times, and the ids that clients, proxies and senders of webhooks give to each message. */
const volatile =
  /^(date|age|server-timing|traceparent|tracestate|x-amzn-trace-id|cf-ray|x-request-start|x-github-delivery|(.*-)?(request|correlation|trace|span|webhook|event|message|delivery)-id|(.*-)?timestamp)$/i

const isVolatile = ([name]: Fields[number]) => volatile.test(name)
const isLasting = (field: Fields[number]) => !isVolatile(field)

export function toDiff(one: Exchange, other: Exchange): readonly DiffPart[] {
  const others = toParts(other)
  // A bin does not keep the responses.
  const hasResponse = one.responseFields.length + other.responseFields.length > 0
  return Object.entries(toParts(one))
    .filter(([name]) => hasResponse || !/^Response/.test(name))
    .filter(
      ([name, { lines }]) =>
        !/trailers$|differ$/.test(name) || lines.length + (others[name]?.lines.length ?? 0) > 0,
    )
    .map(([name, part]) => ({
      name,
      ...compareParts(part, others[name] ?? part),
      ...(Object.values(volatileNames).includes(name) && { isFolded: true }),
    }))
}

interface ComparedPart {
  lines: readonly string[]
  sent?: readonly string[]
  note?: string | undefined
}

function compareParts(one: ComparedPart, other: ComparedPart): Omit<DiffPart, 'name'> {
  const lines = compareLines(one.lines, other.lines)
  const [sent, otherSent] = [one.sent ?? one.lines, other.sent ?? other.lines]
  const isSame = lines.every(({ kind }) => kind === 'same')
  if (isSame && sent.join('\n') !== otherSent.join('\n'))
    return { note: 'The bytes differ.', lines: compareLines(sent, otherSent) }
  return { lines, note: isSame ? undefined : (one.note ?? other.note) }
}

function toParts(exchange: Exchange): Record<string, ComparedPart> {
  const { requestFields, requestBody, responseFields, responseBody } = exchange
  const { requestTrailerFields = [], trailerFields = [] } = exchange
  return {
    'Request line': { lines: exchange.requestHead.split('\n', 1) },
    'Request headers': toHeaderPart(requestFields.filter(isLasting)),
    'Request body': toBody(requestBody, requestFields),
    'Request trailers': toHeaderPart(requestTrailerFields),
    // The last head is the final one: a 103 can be before it.
    'Status line': { lines: exchange.responseHead.split('\n\n').at(-1)?.split('\n', 1) ?? [] },
    'Response headers': toHeaderPart(responseFields.filter(isLasting)),
    'Response body': toBody(responseBody, responseFields),
    'Response trailers': toHeaderPart(trailerFields),
    [volatileNames.request]: toHeaderPart(requestFields.filter(isVolatile)),
    [volatileNames.response]: toHeaderPart(responseFields.filter(isVolatile)),
  }
}

/** The order of fields with different names has no meaning (RFC 9110 §5.3), but a signature can depend on it. */
function toHeaderPart(fields: Fields): ComparedPart {
  const lines = fields
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map((field) => field.join(': '))
  return {
    lines,
    sent: fields.map((field) => field.join(': ')),
    note: 'Sorted by name, in lower case.',
  }
}

function toBody(body: ExchangeBody | undefined, fields: Fields): ComparedPart {
  const { text } = toPrettyBody(body, fields)
  const sent = body?.text ?? text
  const note = sent === text ? undefined : 'Formatted.'
  return { lines: text.split('\n'), sent: sent.split('\n'), note }
}

/**
 * The lines of both texts together. The comparison takes time and memory for the square of their
 * number when all differ, however few of them one text has: 50 ms and 20 MB for this many.
 */
const maxLines = 1500

export function compareLines(one: readonly string[], other: readonly string[]) {
  const shared = Math.min(one.length, other.length)
  let start = 0
  while (start < shared && one[start] === other[start]) start += 1
  let end = 0
  while (end < shared - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return [
    ...toLinesOf('same', one.slice(0, start)),
    ...compareMiddles(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...toLinesOf('same', one.slice(one.length - end)),
  ]
}

const toLinesOf = (kind: DiffLine['kind'], lines: readonly string[]): readonly DiffLine[] =>
  lines.map((text) => ({ kind, text }))

function compareMiddles(one: readonly string[], other: readonly string[]): readonly DiffLine[] {
  const isShort = one.length + other.length <= maxLines
  if (one.length === 0 || other.length === 0 || !isShort)
    return [...toLinesOf('removed', one), ...toLinesOf('added', other)]
  const kinds = { 1: 'removed', 0: 'same', [-1]: 'added' } as const
  return diff(one, other).map(([side, text]) => ({ kind: kinds[side], text }))
}
