import { decodeLoosely } from '../../http/request/target.ts'
import { takeTurn } from '../../http/turns.ts'
import { toPredicate } from '../../lists/predicate.ts'
import { isOfText, type Filter } from '../../stores/records/records.ts'
import { toDecodedBody, type CapturedRequest } from './captured-request.ts'

type RequestPage = readonly CapturedRequest[]

export type RequestPages = AsyncIterable<RequestPage> | Iterable<RequestPage>

export interface RequestSearch {
  isMatch: (request: CapturedRequest) => Promise<boolean>
}

interface Conditions {
  filters?: readonly Filter[]
  path?: string | undefined
  contains?: string | undefined
}

/** These are members of the response, which a pending request does not have yet. */
const ofResponse = ['status', 'isCutOff', 'fault']

export function toMatch({
  filters = [],
  path = '',
  contains = '',
}: Conditions): RequestSearch['isMatch'] {
  const words = contains.toLowerCase()
  const fits = toPredicate({ filters })
  const needsResponse = filters.some(({ field }) => ofResponse.includes([field].flat().join('.')))
  const isLong = filters.some(({ operator }) => isOfText(operator))
  return async (one) =>
    !(needsResponse && one.isPending) &&
    (filters.length === 0 ||
      (isLong ? await look(() => fits(toListed(one))) : fits(toListed(one)))) &&
    (path === '' || (await look(() => one.path.includes(path)))) &&
    (words === '' || (await look(async () => (await toSearchedOnce(one)).includes(words))))
}

export function toListed(request: CapturedRequest) {
  const flags = { isPending: false, isCutOff: false, isTooLarge: false }
  return { ...flags, ...request }
}

/** The search of a large body takes a millisecond: other requests get their turn before the next one. */
const look = (isFound: () => boolean | Promise<boolean>) => takeTurn('search of bins', isFound)

/** Caches the request that was searched last: many clients wait for the same one. */
let latestSearched = { id: '', text: '' }

async function toSearchedOnce(request: CapturedRequest): Promise<string> {
  if (request.id !== latestSearched.id)
    latestSearched = { id: request.id, text: await toSearched(request) }
  return latestSearched.text
}

/** The text is searched as it was sent, and without the escapes of forms and of JSON. */
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

export async function* findMatching(pages: RequestPages, { isMatch }: RequestSearch) {
  for await (const page of pages) {
    const found: CapturedRequest[] = []
    for (const one of page) if (await isMatch(one)) found.push(one)
    yield found
  }
}

export async function hasMatch(pages: RequestPages, search: RequestSearch): Promise<boolean> {
  for await (const { length } of findMatching(pages, search)) if (length > 0) return true
  return false
}
