import { badRequest } from '../../http/errors/http-error.ts'
import { isDecimal } from '../../http/request/parameters.ts'
import type { VisitorResponse } from '../../http/response/send-visitor-response.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import type { Dialect, DialectName, DialectRequest } from '../dialect.ts'
import { forAny, inGoOnly, toEndpoint } from '../endpoint.ts'
import { findParameter, toParseError } from '../parameters.ts'
import { readAsset } from '../read-asset.ts'
import { renderText } from '../render.ts'
import { toRandomBytes } from './bytes.ts'

export const statusEndpoints = [
  toEndpoint(
    '/status/:codes=418',
    'Respond with a status code',
    (request, codes) => renderStatus(request, chooseStatus(codes, request.dialect)),
    {
      methods: forAny,
      description: 'A list such as `200:3,500:1` chooses one at random, by its weights.',
      statuses: ['2XX', '3XX', '4XX', '5XX'],
    },
  ),
  toEndpoint('/unstable', 'Respond with 200 or 500, at random', renderUnstable, {
    methods: inGoOnly('*'),
    statuses: [200, 500],
  }),
]

function renderUnstable(request: DialectRequest): VisitorResponse {
  const seed = findParameter(request, 'seed')
  if (seed !== undefined && !/^[+-]?\d+$/.test(seed)) {
    throw badRequest(`invalid seed: ${toParseError('ParseInt', seed)}`)
  }
  const text = findParameter(request, 'failure_rate') ?? '0.5'
  if (!isDecimal(text))
    throw badRequest(`invalid failure rate: ${toParseError('ParseFloat', text)}`)
  const rate = Number(text)
  if (rate < 0 || rate > 1) throw badRequest('invalid failure rate: not in range [0, 1]')
  const random = toRandomBytes(4, seed === undefined ? seed : Number(seed)).readUInt32BE()
  return renderText(request, '', random / 2 ** 32 < rate ? 500 : 200)
}

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
  if (isDecimal(weight) && Number(weight) >= 0 && others.length === 0) {
    return { code: parseStatus(code, dialect, true), weight: Number(weight) }
  }
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

const payMe = 'Fuck you, pay me!'
const unsupported = 'Client did not request a supported media type'
const images = ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png']

const bodies: Readonly<Record<DialectName, Readonly<Record<number, string>>>> = {
  httpbin: {
    402: payMe,
    406: `{"message": "${unsupported}.", "accept": ["${[...images, 'image/*'].join('", "')}"]}`,
    418: String(readAsset('teapot.txt')),
  },
  'go-httpbin': {
    300: String(readAsset('multiple-choices.html')),
    308: String(readAsset('permanent-redirect.html')),
    402: payMe,
    406: `${JSON.stringify({ message: unsupported, accept: [...images, 'image/'] }, null, 2)}\n`,
    418: "I'm a teapot!",
  },
}

/** With the headers and the body of a status code that has special ones. */
export function renderStatus({ prefix, dialect }: DialectRequest, status: number): VisitorResponse {
  const { isPython, jsonType, name, textType } = dialect
  const toLocation = (path: string): Pair[] => [['Location', prefix + path]]
  const plain: Pair = ['Content-Type', 'text/plain; charset=utf-8']
  const challenge = 'Basic realm="Fake Realm"'
  const special: Readonly<Record<number, readonly Pair[]>> = {
    ...Object.fromEntries(
      [301, 302, 303, 305, 307].map((code) => [code, toLocation('/redirect/1')]),
    ),
    ...(!isPython && { 300: toLocation('/image/jpeg'), 308: toLocation('/image/jpeg') }),
    304: [],
    401: [['WWW-Authenticate', challenge]],
    402: [plain, ['X-More-Info', 'http://vimeo.com/22053820']],
    406: [['Content-Type', jsonType]],
    407: [['Proxy-Authenticate', challenge]],
    418: [plain, ['X-More-Info', 'http://tools.ietf.org/html/rfc2324']],
  }
  const { [status]: found = [] } = special
  // httpbin replaces all its headers by the special ones.
  const isWhole = isPython ? status in special : status === 304
  const headers: readonly Pair[] = isWhole ? found : [['Content-Type', textType], ...found]
  return { status, headers, body: (bodies[name][status] ?? '').replaceAll('{prefix}', prefix) }
}
