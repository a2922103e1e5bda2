import { toPrettyBody } from './bodies.ts'
import type { Exchange, ExchangeBody, Fields } from './exchange.ts'

export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

export interface DiffPart {
  name: string
  lines: readonly DiffLine[]
  /** How the lines differ from what was sent. */
  note?: string | undefined
}

/** The lines that only `one` has are removed, and those that only `other` has are added. */
export function toDiff(one: Exchange, other: Exchange): readonly DiffPart[] {
  const others = toParts(other)
  // A bin does not keep the responses.
  const hasResponse = one.responseFields.length + other.responseFields.length > 0
  return (
    Object.entries(toParts(one))
      .filter(([name]) => hasResponse || !/^Response/.test(name))
      // Few messages have trailers.
      .filter(
        ([name, { lines }]) =>
          !/trailers$/.test(name) || lines.length + (others[name]?.lines.length ?? 0) > 0,
      )
      .map(([name, part]) => ({ name, ...compareParts(part, others[name] ?? part) }))
  )
}

interface Part {
  lines: readonly string[]
  /** Without what makes the lines comparable. */
  sent?: readonly string[]
  note?: string | undefined
}

function compareParts(one: Part, other: Part): Omit<DiffPart, 'name'> {
  const lines = compareLines(one.lines, other.lines)
  const [sent, otherSent] = [one.sent ?? one.lines, other.sent ?? other.lines]
  const isSame = lines.every(({ kind }) => kind === 'same')
  if (isSame && sent.join('\n') !== otherSent.join('\n'))
    return { note: 'The bytes differ.', lines: compareLines(sent, otherSent) }
  return { lines, note: isSame ? undefined : (one.note ?? other.note) }
}

function toParts(exchange: Exchange): Record<string, Part> {
  const { requestFields, requestBody, responseFields, responseBody } = exchange
  const { requestTrailerFields = [], trailerFields = [] } = exchange
  return {
    'Request line': { lines: exchange.requestHead.split('\n', 1) },
    'Request headers': toHeaders(requestFields),
    'Request body': toBody(requestBody, requestFields),
    'Request trailers': toHeaders(requestTrailerFields),
    // The last head: a 103 can be before it.
    'Status line': { lines: exchange.responseHead.split('\n\n').at(-1)?.split('\n', 1) ?? [] },
    'Response headers': toHeaders(responseFields),
    'Response body': toBody(responseBody, responseFields),
    'Response trailers': toHeaders(trailerFields),
  }
}

/** The order of fields with different names has no meaning (RFC 9110 §5.3), but a signature can depend on it. */
function toHeaders(fields: Fields): Part {
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

function toBody(body: ExchangeBody | undefined, fields: Fields): Part {
  const { text } = toPrettyBody(body, fields)
  const sent = body?.text ?? text
  const note = sent === text ? undefined : 'Formatted.'
  return { lines: text.split('\n'), sent: sent.split('\n'), note }
}

/** The table of the longest common subsequence has up to this many cells. */
const maxCells = 1_000_000

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
  const width = other.length + 1
  if (one.length * width > maxCells) {
    return [...toLinesOf('removed', one), ...toLinesOf('added', other)]
  }
  // The length of the longest common subsequence of what follows line `i` and line `j`.
  const lengths = new Uint16Array((one.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      const isSame = one[i] === other[j]
      lengths[i * width + j] = isSame ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  for (let i = 0, j = 0; i < one.length || j < other.length;) {
    const text = one[i] ?? ''
    if (i < one.length && j < other.length && text === other[j]) {
      lines.push({ kind: 'same', text })
      i += 1
      j += 1
    } else if (i < one.length && at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ kind: 'removed', text })
      i += 1
    } else {
      lines.push({ kind: 'added', text: other[j] ?? '' })
      j += 1
    }
  }
  return lines
}
