import { decodeLoosely } from '../../http/request/target.ts'
import { takeTurn } from '../../http/turns.ts'
import { isStatusMatch } from '../../inspector/filter.ts'
import { toDecodedBody, type CapturedRequest } from './captured-request.ts'

type Page = readonly CapturedRequest[]

export type Pages = AsyncIterable<Page> | Iterable<Page>

export interface Search {
  isMatch: (request: CapturedRequest) => Promise<boolean>
}

export function toMatch(texts: Readonly<Record<string, string | undefined>>): Search['isMatch'] {
  const { after = '', method = '', path = '', status = '', q = '', contains = q } = texts
  const words = contains.toLowerCase()
  return async (one) =>
    one.id > after &&
    (method === '' || one.method === method.toUpperCase()) &&
    isStatusMatch(status, one.isPending ? '' : String(one.status ?? '')) &&
    (path === '' || (await look(() => one.path.includes(path)))) &&
    (words === '' || (await look(async () => (await toSearchedOnce(one)).includes(words))))
}

/** A large body takes a millisecond. */
const look = (isFound: () => boolean | Promise<boolean>) => takeTurn('search of bins', isFound)

/** Of the request that was searched last: many clients wait for the same one. */
let latestSearched = { id: '', text: '' }

async function toSearchedOnce(request: CapturedRequest): Promise<string> {
  if (request.id !== latestSearched.id)
    latestSearched = { id: request.id, text: await toSearched(request) }
  return latestSearched.text
}

/** As it was sent, and without the escapes of forms and of JSON. */
async function toSearched(request: CapturedRequest): Promise<string> {
  const { target, requestFields, requestTrailerFields = [] } = request
  const { text, hex = '' } = (await toDecodedBody(request)) ?? {}
  const bytes = Buffer.from(hex, 'hex')
  const body = text ?? `${bytes.toString()}\n${bytes.toString('latin1')}`
  const unescaped = body.replaceAll(/\\(?:u[\da-f]{4}|\/)/gi, (escape) =>
    escape === '\\/' ? '/' : String.fromCharCode(Number(`0x${escape.slice(2)}`)),
  )
  const decoded = decodeLoosely(`${target}\n${body}`.replaceAll('+', ' '))
  const fields = [...requestFields, ...requestTrailerFields].map((field) => field.join(': '))
  return [target, ...fields, body, unescaped, decoded].join('\n').toLowerCase()
}

export async function* findMatching(pages: Pages, { isMatch }: Search) {
  for await (const page of pages) {
    const found: CapturedRequest[] = []
    for (const one of page) if (await isMatch(one)) found.push(one)
    yield found
  }
}

export async function findFirst(pages: Pages, search: Search, limit: number) {
  const found: CapturedRequest[] = []
  for await (const page of findMatching(pages, search)) {
    found.push(...page.slice(0, limit - found.length))
    if (found.length >= limit) break
  }
  return found
}
