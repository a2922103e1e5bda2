import { hash } from 'node:crypto'
import { get, toRows, type Row } from './exchange.ts'

const toBasic = (credentials: string) => `Authorization: Basic ${btoa(credentials)}`

const basicRows = ['/basic-auth/u/p', '/hidden-basic-auth/u/p'].flatMap((path) => [
  get(path),
  get(path, toBasic('u:p')),
  get(path, toBasic('u:x')),
  get(path, toBasic('x:p')),
  get(path, toBasic('u')),
  get(path, toBasic('u:p').replace('Basic', 'basic')),
  get(path, 'Authorization: Basic !'),
  get(path, 'Authorization: Bearer x'),
  get(`${path}%20x%3A`, toBasic('u:p x:')),
  { line: `POST ${path}`, headers: [toBasic('u:p')] },
])

const bearerRows = [
  get('/bearer'),
  get('/bearer', 'Authorization: Bearer abc'),
  get('/bearer', 'Authorization: Bearer a b'),
  get('/bearer', 'Authorization: bearer abc'),
  get('/bearer', 'Authorization: Bearer  abc'),
  get('/bearer', 'Authorization: Bearer'),
  get('/bearer', toBasic('u:p')),
]

/** A request with the right response to a nonce, or with what `change` makes of its members. */
function toDigestRow(
  path: string,
  { algorithm = 'MD5', qop = 'auth', body = '', change = {}, headers = [] }: DigestOptions = {},
): Row {
  const toHash = (text: string) => hash(algorithm.replace('-', '').toLowerCase(), text)
  const realm = 'some realm'
  const start = toHash(`u:${realm}:p`)
  const end = toHash(`GET:${path}${qop === 'auth-int' ? `:${toHash(body)}` : ''}`)
  const middle = qop === '' ? '' : `00000001:client:${qop}:`
  const members = {
    username: 'u',
    realm,
    nonce: 'once',
    uri: path,
    algorithm,
    ...(qop !== '' && { qop, nc: '00000001', cnonce: 'client' }),
    response: toHash(`${start}:once:${middle}${end}`),
    ...change,
  }
  const list = Object.entries(members).map(([name, value]) => `${name}="${value}"`)
  return {
    line: `GET ${path}`,
    headers: [`Authorization: Digest ${list.join(', ')}`, ...headers],
    body,
  }
}

interface DigestOptions {
  algorithm?: string
  qop?: string
  body?: string
  change?: Record<string, string>
  headers?: readonly string[]
}

const digestPath = '/digest-auth/auth/u/p'

const digestRows = [
  ...bearerRows,
  ...toRows(
    `${digestPath} /digest-auth/auth-int/u/p /digest-auth/x/u/p ${digestPath}/SHA-256 ${digestPath}/sha-256 ` +
      `${digestPath}/SHA-512 ${digestPath}/x ${digestPath}/MD5/3 ${digestPath}?require-cookie=1 /digest-auth/AUTH/u/p`,
  ),
  toDigestRow(digestPath),
  toDigestRow(`${digestPath}/SHA-256`, { algorithm: 'SHA-256' }),
  toDigestRow(`${digestPath}/SHA-512`, { algorithm: 'SHA-512' }),
  toDigestRow('/digest-auth/auth-int/u/p', {
    qop: 'auth-int',
    body: 'text',
    headers: ['Content-Type: text/plain'],
  }),
  toDigestRow('/digest-auth/auth-int/u/p', {
    qop: 'auth-int',
    body: 'text',
    change: { response: 'x' },
  }),
  toDigestRow(digestPath, { qop: '' }),
  toDigestRow(digestPath, { change: { response: 'wrong' } }),
  toDigestRow(digestPath, { headers: ['Cookie: last_nonce=once'] }),
  toDigestRow(`${digestPath}/MD5/2`, { headers: ['Cookie: stale_after=2'] }),
  toDigestRow(`${digestPath}/MD5/2`, { headers: ['Cookie: stale_after=0'] }),
  toDigestRow(digestPath, { headers: ['Cookie: stale_after=never'] }),
  toDigestRow(`${digestPath}?require-cookie=true`, { headers: ['Cookie: fake=other'] }),
  toDigestRow(`${digestPath}?require-cookie=true`),
  toDigestRow(`${digestPath}?a=1`),
  toDigestRow(digestPath, { change: { username: 'x' } }),
  get(digestPath, toBasic('u:p')),
]

export const authRows = [...basicRows, ...digestRows]
