import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import createRouter from 'find-my-way'
import { methodNotAllowed, notFound, notImplemented } from './refusal.ts'
import { toPath } from './target.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The media types of content that this route takes. */
    accepts?: readonly string[]
  }
}

/** What a path offers: its methods in Allow, and which content its POST and PATCH take. */
export interface Offer {
  methods: readonly string[]
  /** Whether JSON is the default answer of all its routes, and so of refusals too. */
  isJson: boolean
  /** `Allow`, `Accept-Post`, `Accept-Patch` as far as they apply. */
  headers: Readonly<Record<string, string>>
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Follows the routes as they are added and tells for any path what it offers, which Fastify's own
 * router cannot: needed for 405 (RFC 9110 §15.5.6) and OPTIONS (§9.3.7). Undefined when no route
 * knows the path.
 */
export function watchOffers(
  app: FastifyInstance,
  maxUrlBytes: number,
): (path: string) => Offer | undefined {
  const router = createRouter({ maxParamLength: maxUrlBytes })

  app.addHook('onRoute', ({ method, url, config }) => {
    // A wildcard makes no path known: whoever adds one tells 404 from 405 there.
    if (url.endsWith('*')) return
    for (const name of [method].flat()) {
      const known = methods.find((candidate) => candidate === name)
      if (known !== undefined && !router.hasRoute(known, url)) {
        router.on(known, url, () => undefined, config)
      }
    }
  })

  return (path) => {
    const found = methods.flatMap((method) => {
      const route = router.find(method, path)
      return route === null
        ? []
        : [{ method, config: route.store as FastifyContextConfig | undefined }]
    })
    if (found.length === 0) return undefined
    const names = [...found.map(({ method }) => method), 'OPTIONS']
    const headers: Record<string, string> = { allow: names.join(', ') }
    for (const { method, config } of found) {
      // RFC 5789 §3.1 for PATCH; its sibling for POST is in the Linked Data Platform, §7.1.
      const hasField = method === 'POST' || method === 'PATCH'
      if (config?.accepts && hasField) {
        headers[`accept-${method.toLowerCase()}`] = config.accepts.join(', ')
      }
    }
    const isJson = found.every(({ config }) => config?.defaultAnswer === 'json')
    return { methods: names, isJson, headers }
  }
}

/** Where no route matched: OPTIONS of a known path, a method it lacks, or nothing at all. */
export function answerUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  findOffer: (path: string) => Offer | undefined,
) {
  const path = toPath(request.url)
  if (!request.server.supportedMethods.includes(request.method)) {
    throw notImplemented(request.method)
  }
  // RFC 9110 §9.3.7: the asterisk asks about the server as a whole.
  if (path === '*')
    return reply
      .code(204)
      .header('allow', [...methods, 'OPTIONS'].join(', '))
      .send()
  const offer = findOffer(path)
  const isGone = offer?.methods.includes(request.method) && request.method !== 'OPTIONS'
  if (offer === undefined || isGone) throw notFound(`There is nothing at ${path}.`)
  if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, path, offer)
  return reply.code(204).headers(offer.headers).send()
}
