import { contentTooLarge } from '../http/errors/http-error.ts'

export interface Part {
  name: string
  /** Undefined for text. */
  fileName: string | undefined
  type: string | undefined
  bytes: Buffer
}

/** httpbin and go-httpbin have the same limit. */
const maxParts = 1000

/** RFC 2046 §5.1.1. To find a longer one can take the product of its length and that of the body. */
const maxBoundaryLength = 70

const blankLine = '\r\n\r\n'

/** The parts of a body that is already in memory. Undefined if it is malformed. */
export function parseParts(body: Buffer, contentType: string): Part[] | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || boundary.length > maxBoundaryLength) return undefined
  const delimiter = `--${boundary}`
  const parts: Part[] = []
  let count = 0
  let start = body.indexOf(delimiter, 0, 'latin1')
  while (start !== -1) {
    start += delimiter.length
    if (body.toString('latin1', start, start + 2) === '--') return parts
    const headEnd = body.indexOf(blankLine, start, 'latin1')
    const end = headEnd === -1 ? -1 : body.indexOf(`\r\n${delimiter}`, headEnd + 2, 'latin1')
    if (end === -1) return undefined
    const bytes = body.subarray(headEnd + blankLine.length, end)
    count += 1
    if (count > maxParts) throw contentTooLarge('The form has too many parts.')
    parts.push(...toPart(body.toString('utf8', start, headEnd), bytes))
    start = end + 2
  }
  return undefined
}

function toPart(head: string, bytes: Buffer): Part[] {
  const disposition = findLine(head, 'content-disposition') ?? ''
  const name = findParameter(disposition, 'name')
  if (name === undefined) return []
  const fileName = findParameter(disposition, 'filename')
  return [{ name, fileName, type: findLine(head, 'content-type'), bytes }]
}

function findLine(head: string, name: string): string | undefined {
  const [line] = [...head.matchAll(new RegExp(`^${name}:(.*)`, 'gim'))].slice(-1)
  return line?.[1]?.trim()
}

function findParameter(disposition: string, name: string): string | undefined {
  const pattern = new RegExp(String.raw`;\s*${name}=(?:"((?:\\.|[^"\\])*)"|([^\s;]*))`, 'i')
  const [, quoted, plain] = pattern.exec(disposition) ?? []
  return quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain
}
