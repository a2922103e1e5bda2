import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { maxVariants } from '../../config/limits.ts'
import { testConditions, mayWrite, preconditionFailed } from '../../http/response/preconditions.ts'
import { toRawRequest } from '../../http/request/raw-request.ts'
import { ownCookies, withoutCookies } from '../../http/security/own-secrets.ts'
import { readQuery } from '../../responses/read-description.ts'
import { describedResponses, type ResponseEndpoint } from './endpoint.ts'
import { createQueryParser, toQueryParameters } from './query.ts'
import { keyParameter, parseKey, toStateEndpoints } from './state.ts'
import type { State } from '../../stores/states/states.ts'

const seconds = (description: string) =>
  ({ type: 'integer', minimum: 0, maximum: 2 ** 31, description }) as const

const properties = {
  etag: {
    type: 'string',
    pattern: '^(W/)?("[!#-~]{1,100}"|[!#-~]{1,100})$',
    description: 'The ETag, with or without quotation marks: `v1`, or `W/v1` for a weak one.',
    example: 'v1',
  },
  last_modified: {
    type: 'string',
    format: 'date-time',
    description: 'The time of Last-Modified.',
    example: '2026-11-22T08:00:00Z',
  },
  max_age: seconds('The directive max-age.'),
  s_maxage: seconds('The directive s-maxage, for shared caches.'),
  stale_while_revalidate: seconds('The directive stale-while-revalidate.'),
  cache_control: {
    type: 'string',
    pattern: '^[\\t -~]{1,500}$',
    description: 'Other directives of Cache-Control.',
    example: 'public, immutable',
  },
  age: seconds('The value of Age, as if a shared cache had stored the response.'),
  vary: {
    type: 'string',
    pattern: '^(\\*|[A-Za-z0-9-]+(, *[A-Za-z0-9-]+){0,9})$',
    maxLength: 200,
    description: 'The names of headers whose values select a variant.',
    example: 'Accept-Language',
  },
} as const

const parseParameters = createQueryParser(properties)
type Parameters = ReturnType<typeof parseParameters>

export const cacheEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/cache/:key',
    summary: 'Respond with chosen validators and freshness',
    description:
      'The body shows what a cache does: `made` is the number of responses with a body, and `validated` that of responses with 304.',
    parameters: [keyParameter, ...toQueryParameters(properties)],
    responses: describedResponses,
    errors: [412],
    store: 'writes',
    describe: async (request, { states }) => {
      const key = parseKey(request)
      const parameters = parseParameters(readQuery(request))
      const selecting = findSelecting(request, parameters)
      const tag = selecting ? hash('sha256', JSON.stringify(selecting)).slice(0, 8) : ''
      const etag = toTag(parameters, tag)
      const outcome = evaluate(request, parameters, etag)
      if (outcome === 'failed') throw preconditionFailed(request.headers, etag)
      const state = await states.update(`cache/${key}`, (known) =>
        countResponse(known, outcome, tag),
      )
      const headers = toCacheHeaders(parameters, etag)
      if (outcome === 'not modified') return { status: 304, headers }
      const { variants, ...totals } = toCounts(state)
      const variant = selecting && {
        ...variants.at(toTags(state).indexOf(tag)),
        headers: selecting,
      }
      return { headers, json: { key, ...totals, ...(variant && { variant }) } }
    },
  },
  ...toStateEndpoints('cache', toCounts),
]

/** The values of the request headers in `vary`. They may be secrets, so the state has only their hash. */
function findSelecting(request: FastifyRequest, { vary = '*' }: Parameters) {
  if (vary === '*') return undefined
  const headers = withoutCookies(toRawRequest(request).headers, ownCookies)
  const toValues = (name: string) =>
    headers.flatMap(([given, value]) => (given.toLowerCase() === name ? [value] : []))
  const names = vary.toLowerCase().split(/, */)
  return Object.fromEntries(names.map((name) => [name, toValues(name).join(', ')]))
}

/** RFC 9110 §8.8.3.3: variants have different tags. */
function toTag({ etag }: Parameters, variant: string): string | undefined {
  const [, weak = '', opaque = ''] = /^(W\/)?"?([^"]*)/.exec(etag ?? '') ?? []
  return etag && `${weak}"${[opaque, variant].filter(Boolean).join('-')}"`
}

/** A leap second, which `Date` does not have, is the second before it. */
function findTime({ last_modified: text }: Parameters): Date | undefined {
  return text === undefined ? undefined : new Date(text.replace(/:60(?=[.Z+-])/i, ':59'))
}

/** RFC 9110 §13.1.2, §13.1.3: only GET and HEAD get 304. */
function evaluate({ method, raw }: FastifyRequest, parameters: Parameters, etag?: string) {
  const lastModified = findTime(parameters)
  if (method === 'GET' || method === 'HEAD') return testConditions(raw, { etag, lastModified })
  const etags = etag === undefined ? [] : [etag]
  return mayWrite(raw, { etags, lastModified }) ? 'proceed' : 'failed'
}

const directives = ['max_age', 's_maxage', 'stale_while_revalidate'] as const

function toCacheHeaders(parameters: Parameters, etag = ''): Record<string, string> {
  const { cache_control: others, age, vary = '' } = parameters
  const own = directives.map((name) => {
    const value = parameters[name]
    return value === undefined ? '' : `${name.replaceAll('_', '-')}=${String(value)}`
  })
  const headers = {
    'Cache-Control': [others, ...own].filter(Boolean).join(', '),
    ETag: etag,
    'Last-Modified': findTime(parameters)?.toUTCString() ?? '',
    Vary: vary,
    Age: String(age ?? ''),
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

function countResponse(known: State, outcome: 'proceed' | 'not modified', tag: string): State {
  const isFull = Object.keys(known).length >= 2 * maxVariants
  const name = isFull && !(`made ${tag}` in known) ? 'others' : tag
  const { [`made ${name}`]: made = 0, [`validated ${name}`]: validated = 0 } = known
  const isMade = Number(outcome === 'proceed')
  return {
    ...known,
    [`made ${name}`]: made + isMade,
    [`validated ${name}`]: validated + 1 - isMade,
  }
}

/** The order is that of the first requests. The variants that are not counted apart are at the end. */
function toTags(state: State): readonly string[] {
  return Object.keys(state).flatMap((name) => (name.startsWith('made ') ? [name.slice(5)] : []))
}

function toCounts(state: State) {
  const variants = toTags(state).map((tag, index) => ({
    number: index + 1,
    made: state[`made ${tag}`] ?? 0,
    validated: state[`validated ${tag}`] ?? 0,
  }))
  const sum = (kind: 'made' | 'validated') =>
    variants.reduce((total, variant) => total + variant[kind], 0)
  return { made: sum('made'), validated: sum('validated'), variants }
}
