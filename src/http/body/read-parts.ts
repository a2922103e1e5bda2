import { formatNumber } from '../../config/format-count.ts'
import { maxPaddingBytes, maxPartHeadBytes } from '../../config/limits.ts'
import { badRequest } from '../errors/http-error.ts'
import { decodeUtf8 } from '../request/parameters.ts'

/**
 * The parts of a multipart body (RFC 2046 §5.1.1). None is dropped or cut: a line that begins with a longer
 * boundary is content, and what cannot be read gets 400. An empty body has no parts. The caller ends `chunks`.
 */
export async function* readParts(chunks: AsyncIterable<Buffer>, boundary: string) {
  const source = chunks[Symbol.asyncIterator]()
  const reader = createReader(() => source.next(), `\r\n--${boundary}`)
  if (await reader.isEmpty()) return
  while (await reader.finishPart()) {
    yield { head: await reader.readHead(), content: reader.readContent() }
  }
}

export async function discard(content: AsyncIterable<Buffer>): Promise<void> {
  const iterator = content[Symbol.asyncIterator]()
  while ((await iterator.next()).done !== true);
}

type ReadNext = () => Promise<IteratorResult<Buffer, unknown>>

function createReader(next: ReadNext, delimiter: string) {
  // The first line can be a delimiter.
  let rest: Buffer = Buffer.from('\r\n')
  /** The bytes at the start of `rest` that can belong to a delimiter, but not to the content. */
  let skipped = rest.length
  let [isInContent, isAfterLast, isEnded] = [true, false, false]

  async function fill(): Promise<void> {
    if (isEnded) throw badRequest('The multipart body ends before its last boundary.')
    const { done, value } = await next()
    if (done === true) isEnded = true
    // A whole chunk is passed on without a copy, so that the store can free it.
    else rest = rest.length === 0 ? value : Buffer.concat([rest, value])
  }

  function take(end: number): Buffer {
    const content = rest.subarray(skipped, end)
    rest = rest.subarray(end)
    if (end > 0) skipped = 0
    return content
  }

  function endContent(line: 'next' | 'last'): void {
    if (isAfterLast) throw badRequest('The multipart body goes on after its last boundary.')
    isInContent = false
    isAfterLast = line === 'last'
    rest = rest.subarray(delimiter.length)
  }

  async function* readContent(): AsyncGenerator<Buffer, void> {
    while (isInContent) {
      const { at, line } = findDelimiter(rest, delimiter, isEnded)
      const content = take(at)
      if (line !== 'incomplete') endContent(line)
      if (content.length > 0) yield content
      if (isAfterLast && isEnded) return
      if (line === 'incomplete') await fill()
    }
  }

  return {
    isEmpty: async () => {
      while (rest.length === skipped && !isEnded) await fill()
      return rest.length === skipped
    },
    readContent,
    readHead: async (): Promise<string> => {
      for (;;) {
        // The blank line can belong to the next delimiter.
        const end = rest.indexOf('\r\n\r\n')
        if ((end === -1 ? rest.length : end) > maxPartHeadBytes) {
          throw badRequest(
            `The headers of a form part exceed ${formatNumber(maxPartHeadBytes)} bytes.`,
          )
        }
        if (end === -1) await fill()
        else {
          ;[isInContent, skipped] = [true, 2]
          const head = rest.subarray(rest.indexOf('\r\n') + 2, end)
          rest = rest.subarray(end + 2)
          return decodeUtf8(head)
        }
      }
    },
    /** Discards what was not read, also before the first part and after the last. Returns whether a part follows. */
    finishPart: async (): Promise<boolean> => {
      await discard(readContent())
      if (!isAfterLast) return true
      isInContent = true
      await discard(readContent())
      return false
    },
  }
}

type Line = 'next' | 'last' | 'incomplete'

function findDelimiter(
  bytes: Buffer,
  delimiter: string,
  isEnded: boolean,
): { at: number; line: Line } {
  let at = bytes.indexOf(delimiter, 0, 'latin1')
  while (at !== -1) {
    const line = findLine(bytes, at + delimiter.length, isEnded)
    if (line !== 'content') return { at, line }
    at = bytes.indexOf(delimiter, at + delimiter.length, 'latin1')
  }
  // The end of the bytes can be the start of a delimiter.
  const start = bytes.lastIndexOf('\r')
  const end = bytes.toString('latin1', start, start + delimiter.length + 1)
  const isSplit = start !== -1 && delimiter.startsWith(end)
  return { at: isSplit ? start : bytes.length, line: 'incomplete' }
}

const longerBoundary = /^(?:[\w'()+,./:=?]|--[\w'()+,./:=?-]|-[^-])/

/** What a line is that begins with the boundary, by the bytes after it. */
function findLine(bytes: Buffer, start: number, isEnded: boolean): Line | 'content' {
  if (longerBoundary.test(bytes.toString('latin1', start, start + 3))) return 'content'
  const text = bytes.toString('latin1', start, start + maxPaddingBytes)
  if (/^[ \t]*\r\n/.test(text)) return 'next'
  if (/^--[ \t]*\r\n/.test(text) || (isEnded && /^--[ \t]*\r?$/.test(text))) return 'last'
  if (/^-?-?[ \t]*\r?$/.test(text) && text.length < maxPaddingBytes) return 'incomplete'
  throw badRequest('A boundary of the multipart body must be followed by CRLF, or by -- and CRLF.')
}
