import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { readBytes } from '../../http/body/read-bytes.ts'
import { badRequest, HttpError } from '../../http/errors/http-error.ts'
import {
  jsonContent,
  pathParameter,
  queryParameters,
  textContent,
  toSchema,
} from '../../http/openapi/content.ts'
import { toRawRequest } from '../../http/request/raw-request.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { isLoopback, toHostname } from '../../config/hosts.ts'
import { maxHops } from '../../config/limits.ts'
import { isAllowedHost } from '../../http/security/origins.ts'
import { ownCookies, withoutCookies } from '../../http/security/own-secrets.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import { toAllParameters, toFlag, toObject } from '../../responses/read-description.ts'
import type { ResponseEndpoint } from './endpoint.ts'

const statuses = [301, 302, 303, 307, 308]

const parameters = queryParameters({
  status: ['The status codes, in turn: `302,307`. 302 if unset.', '302,307'],
  host: [
    'The hosts of the redirects, in turn: names of this service, or of ALLOWED_REDIRECT_DOMAINS.',
  ],
  cookies: ['`true` or `1`: each redirect sets a cookie `hop-N`.'],
  loop: ['The number of redirects with which the chain begins again, so that it has no end.'],
  scheme: [
    '`alternate`: each redirect leads from HTTPS to REDIRECT_HTTP_PORT, where the service redirects back to HTTPS.',
  ],
})

const hopsParameter = {
  ...pathParameter('hops', 'The number of redirects.', '2'),
  schema: { type: 'integer', minimum: 0, maximum: maxHops },
  example: 2,
}

const arrived = {
  method: 'GET',
  url: 'http://vitrine.example/responses/redirect/0',
  headers: { Host: 'vitrine.example', Cookie: 'hop-1=1' },
  cookies: { 'hop-1': '1' },
  body_bytes: 0,
}
const fields = { type: 'object' }
const arrivedSchema = toSchema(arrived, { headers: fields, cookies: fields })

export const redirectEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/redirect/:hops',
    summary: 'Redirect several times',
    description: `The last response shows the request that arrived. There are up to ${String(maxHops)} hops.`,
    parameters: [hopsParameter, ...parameters],
    requestBody: { content: textContent('Hello') },
    responses: {
      '3XX': { description: 'A redirect to the next hop.' },
      200: { description: 'The request at the end.', content: jsonContent(arrivedSchema, arrived) },
    },
    errors: [400, 403, 413],
    onRequest: (request, reply, done) => {
      // A client that stores it uses only HTTPS for all ports of this host (RFC 6797 §8.3).
      if (/[?&]scheme=/.test(request.url)) reply.removeHeader('strict-transport-security')
      done()
    },
    toConfig: (request, config) => {
      return { ...config, allowedRedirectDomains: toRedirectHosts(request, config) }
    },
    describe: async (request, { config }) => {
      const hops = parseHops('hops', toPathParameter(request, 'hops'))
      if (hops === 0) return { json: await describeArrival(request, config) }
      const query = new URLSearchParams(
        toAllParameters(request).map(([name, value]) => [name, value]),
      )
      const status = Number(rotate(query, 'status') ?? 302)
      if (!statuses.includes(status)) {
        throw badRequest(
          `status must be one or more of ${statuses.join(', ')}, with commas between them.`,
        )
      }
      const origin = parseNextOrigin(request, query, config)
      const loop = parseHops('loop', query.get('loop') ?? '0')
      const next = hops > 1 ? hops - 1 : loop
      const rest = query.size === 0 ? '' : `?${query.toString().replaceAll('%2C', ',')}`
      const location = `${origin}/responses/redirect/${String(next)}${rest}`
      const hasCookies = toFlag(query.get('cookies') ?? 'false')
      if (typeof hasCookies === 'string') throw badRequest('cookies must be true or false.')
      return {
        status,
        // RFC 9110 §15.4.2, §15.4.9: a cache may store them.
        headers: { Location: location, 'Cache-Control': 'no-store' },
        ...(hasCookies && { cookies: [`hop-${String(hops)}=1; Max-Age=600`] }),
      }
    },
  },
]

/** The hosts that this chain may lead to. A wildcard would make it an open redirect. */
function toRedirectHosts(
  { host }: FastifyRequest,
  { allowedHosts, allowedRedirectDomains }: Config,
): readonly string[] {
  const named = [...allowedHosts, ...allowedRedirectDomains].filter((one) => !/^(\*|ip)$/.test(one))
  return [...named, toHostname(host) ?? '', ...(isLoopback(host) ? ['127.0.0.1', '[::1]'] : [])]
}

function parseHops(name: string, text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= maxHops) return Number(text)
  throw badRequest(`${name} must be a whole number from 0 to ${String(maxHops)}.`)
}

/** The first value, which becomes the last: so each hop has its turn. */
function rotate(query: URLSearchParams, name: string): string | undefined {
  const [first, ...others] = query.getAll(name).flatMap((values) => values.split(','))
  if (first !== undefined) query.set(name, [...others, first].join(','))
  return first
}

/** Returns an empty text if the origin is that of the request. */
function parseNextOrigin(request: FastifyRequest, query: URLSearchParams, config: Config): string {
  const host = rotate(query, 'host')
  const scheme = query.get('scheme')
  if (host === undefined && scheme === null) return ''
  const url = new URL(toOrigin(request))
  if (host !== undefined) setHost(url, host, config.allowedRedirectDomains)
  if (scheme === null) return url.origin
  const { redirectHttpPort = 0 } = config
  if (scheme !== 'alternate' || redirectHttpPort === 0) {
    throw badRequest('scheme can only be alternate, and requires HTTPS with REDIRECT_HTTP_PORT.')
  }
  // That port redirects to HTTPS, and so back.
  return new URL(`http://${url.hostname}:${String(redirectHttpPort)}`).origin
}

function setHost(url: URL, host: string, allowed: readonly string[]): void {
  const parsed = URL.parse(`${url.protocol}//${host}`)
  const defaultPort = url.protocol === 'https:' ? ':443' : ':80'
  const isHost = parsed && [parsed.host, parsed.host + defaultPort].includes(host.toLowerCase())
  if (!isHost) throw badRequest(`host must be one or more hosts: "${host}" is not one.`)
  if (!isAllowedHost(host, allowed)) {
    throw new HttpError(
      'forbidden',
      `Redirects to ${host} are not allowed. Add the name of the host to ALLOWED_REDIRECT_DOMAINS.`,
    )
  }
  // A URL without a port keeps that of the request.
  url.host = host
}

async function describeArrival(request: FastifyRequest, config: Config): Promise<object> {
  const { method, target, headers } = toRawRequest(request)
  const sent = withoutCookies(headers, ownCookies)
  const cookies = sent.flatMap(([name, value]) =>
    name.toLowerCase() === 'cookie' ? value.split(';').map(toCookie) : [],
  )
  const { length } = await readBytes(request.raw, config)
  const url = toOrigin(request) + target
  return { method, url, headers: toObject(sent), cookies: toObject(cookies), body_bytes: length }
}

function toCookie(text: string): Pair {
  const [name = '', ...value] = text.split('=')
  return [name.trim(), value.join('=').trim()]
}
