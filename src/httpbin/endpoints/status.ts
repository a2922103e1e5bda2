import { badRequest } from '../../http/errors/http-error.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import type { Dialect, DialectName, DialectRequest, Mount } from '../dialect.ts'
import { forAny, inGoOnly, toEndpoint } from '../endpoint.ts'
import { findParameter, parseFloatText, findInteger, quote, toParseError } from '../parameters.ts'
import { readAsset, renderAs } from '../render.ts'
import { toRandomBytes } from './bytes.ts'

const unstable = { methods: inGoOnly('*'), statuses: [200, 500] }

export const statusEndpoints = [
  toEndpoint(
    '/status/:codes=418',
    'Respond with a status code',
    {
      methods: forAny,
      description: 'A list such as `200:3,500:1` chooses one at random, by its weights.',
      statuses: ['2XX', '3XX', '4XX', '5XX'],
    },
    (request, codes) => statusToResponse(request, chooseStatus(codes, request.dialect)),
  ),
  toEndpoint('/unstable', 'Respond with 200 or 500, at random', unstable, (request) => {
    const random = toRandomBytes(4, findInteger(request, 'seed')).readUInt32BE()
    const status = random / 2 ** 32 < parseRate(request) ? 500 : 200
    return renderAs(request.dialect.textType, '', status)
  }),
]

function parseRate(request: DialectRequest): number {
  const text = findParameter(request, 'failure_rate') ?? '0.5'
  const rate = parseFloatText(text)
  if (rate === undefined)
    throw badRequest(`invalid failure rate: ${toParseError('ParseFloat', text)}`)
  if (rate >= 0 && rate <= 1) return rate
  throw badRequest('invalid failure rate: not in range [0, 1]')
}

function chooseStatus(codes: string, dialect: Dialect): number {
  if (!codes.includes(',')) return parseStatusCode(codes, dialect)
  const choices = codes.split(',').map((choice) => parseChoice(choice, dialect))
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  if (!(total > 0 && total < Infinity)) throw badRequest('The weights must have a positive sum.')
  let rest = Math.random() * total
  const chosen = choices.find(({ weight }) => (rest -= weight) < 0) ?? choices.at(-1)
  return chosen?.code ?? 200
}

function parseChoice(choice: string, dialect: Dialect) {
  const [code = '', weight = '1', ...others] = choice.split(':')
  const share = parseFloatText(weight) ?? -1
  if (share >= 0 && others.length === 0) {
    return { code: parseStatusCode(code, dialect, true), weight: share }
  }
  if (dialect.isPython) throw badRequest('Invalid status code')
  throw badRequest(`invalid weight value: ${quote([weight, ...others].join(':'))}`)
}

/** A status code of 1xx cannot be final (RFC 9110 §15.2). */
export function parseStatusCode(text: string, dialect: Dialect, isInList = false): number {
  const isInteger = /^[+-]?\d+$/.test(text)
  if (isInteger && Number(text) >= 200 && Number(text) <= 599) return Number(text)
  if (dialect.isPython) throw badRequest('Invalid status code')
  if (isInList && !isInteger) throw badRequest(`invalid choice value: ${quote(text)}`)
  const code = dialect.parseInteger(text, `status code: ${quote(text)}`)
  throw badRequest(`invalid status code: ${String(code)} not in range [100, 599]`)
}

export const basicChallenge = 'Basic realm="Fake Realm"'

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

export function statusToResponse(request: DialectRequest, status: number) {
  const { prefix, dialect } = request
  const { isPython, name, textType } = dialect
  const special = findSpecial(request, status)
  // httpbin replaces all its headers by the special ones.
  const isWhole = isPython ? special !== undefined : status === 304
  const own: readonly Pair[] = isWhole ? [] : [['Content-Type', textType]]
  const headers = [...own, ...(special ?? [])]
  return { status, headers, body: (bodies[name][status] ?? '').replaceAll('{prefix}', prefix) }
}

const plain: Pair = ['Content-Type', 'text/plain; charset=utf-8']

function findSpecial({ prefix, dialect }: Mount, status: number): readonly Pair[] | undefined {
  const { isPython, jsonType } = dialect
  if ([301, 302, 303, 305, 307].includes(status)) return [['Location', `${prefix}/redirect/1`]]
  if (!isPython && (status === 300 || status === 308)) return [['Location', `${prefix}/image/jpeg`]]
  if (status === 304) return []
  if (status === 401) return [['WWW-Authenticate', basicChallenge]]
  if (status === 402) return [plain, ['X-More-Info', 'http://vimeo.com/22053820']]
  if (status === 406) return [['Content-Type', jsonType]]
  if (status === 407) return [['Proxy-Authenticate', basicChallenge]]
  if (status === 418) return [plain, ['X-More-Info', 'http://tools.ietf.org/html/rfc2324']]
  return undefined
}
