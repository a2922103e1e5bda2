import type { Pair } from '../../http/security/visitor-response.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { isDecimal } from '../../http/request/parameters.ts'
import type { BinRequest, BinResponse, Dialect } from '../dialect.ts'
import { forAny, inGoOnly, toEndpoint, type Endpoint } from '../endpoint.ts'
import { toParseError } from '../parameters.ts'
import { toRandomBytes } from '../random-bytes.ts'
import { renderText } from '../render.ts'
import { bodies } from './status-bodies.ts'
import { findValue } from '../text.ts'

export const statusEndpoints: readonly Endpoint[] = [
  toEndpoint(
    '/status/:codes',
    'Respond with a status code',
    (request) => renderStatus(chooseStatus(request.parameters[0] ?? '', request.dialect), request),
    {
      methods: forAny,
      description: 'A list such as `200:3,500:1` chooses one at random, by its weights.',
      samples: { codes: '418' },
      statuses: ['2XX', '3XX', '4XX', '5XX'],
    },
  ),
  toEndpoint(
    '/unstable',
    'Respond with 200 or 500, at random',
    (request) => {
      const { query } = request
      const seed = findValue(query, 'seed') || undefined
      if (seed !== undefined && !/^[+-]?\d+$/.test(seed))
        throw badRequest(`invalid seed: ${toParseError('ParseInt', seed)}`)
      const text = findValue(query, 'failure_rate') || '0.5'
      if (!isDecimal(text))
        throw badRequest(`invalid failure rate: ${toParseError('ParseFloat', text)}`)
      const rate = Number(text)
      if (rate < 0 || rate > 1) throw badRequest('invalid failure rate: not in range [0, 1]')
      const random = toRandomBytes(4, seed === undefined ? seed : Number(seed)).readUInt32BE()
      return renderText(request, '', random / 2 ** 32 < rate ? 500 : 200)
    },
    { methods: inGoOnly('*'), statuses: [200, 500] },
  ),
]

/** Throws 400. */
function chooseStatus(codes: string, dialect: Dialect): number {
  if (!codes.includes(',')) return parseStatus(codes, dialect)
  const choices = codes.split(',').map((choice) => parseChoice(choice, dialect))
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  if (!(total > 0 && total < Infinity)) throw badRequest('The weights must have a positive sum.')
  let rest = Math.random() * total
  const chosen = choices.find(({ weight }) => (rest -= weight) < 0) ?? choices.at(-1)
  return chosen?.code ?? 200
}

function parseChoice(choice: string, dialect: Dialect) {
  const [code = '', weight = '1', ...others] = choice.split(':')
  const isValid = isDecimal(weight) && others.length === 0
  if (isValid && Number(weight) >= 0)
    return { code: parseStatus(code, dialect, true), weight: Number(weight) }
  if (dialect.isPython) throw badRequest('Invalid status code')
  throw badRequest(`invalid weight value: ${JSON.stringify([weight, ...others].join(':'))}`)
}

/** From 200, since 1xx cannot be a final status code (RFC 9110 §15.2). */
export function parseStatus(text: string, dialect: Dialect, isInList = false): number {
  const code = Number(text)
  const isInteger = /^[+-]?\d+$/.test(text)
  if (isInteger && code >= 200 && code <= 599) return code
  if (dialect.isPython) throw badRequest('Invalid status code')
  if (isInteger) throw badRequest(`invalid status code: ${String(code)} not in range [100, 599]`)
  if (isInList) throw badRequest(`invalid choice value: ${JSON.stringify(text)}`)
  throw badRequest(`invalid status code: ${JSON.stringify(text)}: ${toParseError('Atoi', text)}`)
}

const challenge = 'Basic realm="Fake Realm"'

/** The headers and bodies of the status codes that have special ones. */
export function renderStatus(status: number, { prefix, dialect }: BinRequest): BinResponse {
  const { isPython, name } = dialect
  const type: Pair = ['Content-Type', dialect.textType]
  const plain: Pair = ['Content-Type', 'text/plain; charset=utf-8']
  const body = bodies[name][status] ?? ''
  const moved: Pair = ['Location', `${prefix}/redirect/1`]
  const image: Pair[] = isPython ? [] : [['Location', `${prefix}/image/jpeg`]]
  const special: Readonly<Record<number, readonly Pair[]>> = {
    ...Object.fromEntries([301, 302, 303, 305, 307].map((code) => [code, [moved]])),
    300: image,
    304: [],
    308: image,
    401: [['WWW-Authenticate', challenge]],
    402: [plain, ['X-More-Info', 'http://vimeo.com/22053820']],
    406: [['Content-Type', dialect.jsonType]],
    407: [['Proxy-Authenticate', challenge]],
    418: [plain, ['X-More-Info', 'http://tools.ietf.org/html/rfc2324']],
  }
  const found = special[status]
  // httpbin replaces all its headers by the special ones.
  const isWhole = isPython ? found && found !== image : status === 304
  const headers = isWhole ? (found ?? []) : [type, ...(found ?? [])]
  return { status, headers, body: body.replaceAll('{prefix}', prefix) }
}
