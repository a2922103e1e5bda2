import Fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Backends } from './backends.ts'
import type { Config } from './config.ts'
import { watchOffers } from './http/allow.ts'
import { openAssets } from './http/assets.ts'
import { createBodyReader, replaceUnreadableType, takeControlFields } from './http/bodies.ts'
import { answerClientError, answerConnect } from './http/client-error.ts'
import { refuseCrossSite } from './http/cross-site.ts'
import { headersOfEveryAnswer } from './http/every-answer.ts'
import { refuseBadHost } from './http/host.ts'
import { isSafe, methodOverride, refuseUnsafeLink } from './http/method-override.ts'
import { parseParameters } from './http/query-string.ts'
import {
  insufficientStorage,
  methodNotAllowed,
  notFound,
  notImplemented,
  Refusal,
  serviceUnavailable,
  uriTooLong,
} from './http/refusal.ts'
import { createRefusalSender, toFrameworkRefusal } from './http/send-refusal.ts'
import { maxTargetBytes, toPath, toPlainTarget } from './http/target.ts'
import type { House, Room } from './room.ts'
import { openHealth } from './rooms/health/health.ts'
import { openHome } from './rooms/home/home.ts'
import { StoreFailure } from './storage/failure.ts'

interface AppOptions {
  config: Config
  backends: Backends
  /** Every room there is; `config.rooms` says which of them are mounted. */
  rooms: readonly Room[]
  /** Where the log goes, line by line; standard output when unset. */
  logTo?: { write: (line: string) => void }
}

/**
 * The whole service as a value: everything that a request passes, in order, then the rooms. It can
 * be asked with `inject` or told to `listen`; the caller closes it, and then the backends.
 */
export async function buildApp({ config, backends, rooms, logTo }: AppOptions) {
  const house: House = { config, ...backends }
  const mounted = rooms.filter(({ name }) => config.rooms.includes(name))
  const readBody = createBodyReader(config)
  const headers = config.tlsKey
    ? { ...headersOfEveryAnswer, 'strict-transport-security': 'max-age=31536000' }
    : headersOfEveryAnswer
  const sendRefusal = createRefusalSender(
    mounted.flatMap(({ shapeRefusals }) => shapeRefusals?.(house) ?? []),
  )

  const app = createServer(config, {
    logger: { level: config.logLevel, ...(logTo && { stream: logTo }) },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers)
      try {
        sendRefusal(toFrameworkRefusal(error), request, reply)
        // No hook runs for what cannot be routed.
        logAnswer(request, reply)
      } catch (failure) {
        // Nothing can be answered any more, and nobody would catch this.
        request.log.error({ err: failure }, 'fault')
        request.raw.destroy()
      }
    },
    clientErrorHandler: answerClientError,
    rewriteUrl: ({ url = '/' }) => toPlainTarget(url),
    routerOptions: {
      maxParamLength: maxTargetBytes,
      querystringParser: createQueryParser(config),
    },
  })
  app.server.maxConnections = config.maxConnections
  app.server.on('connect', answerConnect)

  if (config.methodOverride) app.addConstraintStrategy(methodOverride(readBody))
  app.setErrorHandler((error, request, reply) =>
    sendRefusal(fromStore(error, request), request, reply),
  )
  const findOffer = watchOffers(app)
  app.setNotFoundHandler((request, reply) => answerUnrouted(request, reply, findOffer))

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers)
    replaceUnreadableType(request.raw)
    done(findRefusal(request, config))
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) =>
    request.is404 ? undefined : (await readBody(request.raw)).value,
  )
  frameByTheWire(app)
  ruleConnections(app)
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply)
    done()
  })

  openAssets(app)
  openHome(app, mounted)
  openHealth(app)
  for (const room of mounted) {
    await app.register(async (instance) => room.open(instance, house))
  }
  return app
}

/** Over HTTPS, with HTTP/2 and HTTP/1.1, when there is a certificate; otherwise plain HTTP/1.1. */
function createServer(
  { tlsCert: cert, tlsKey: key, headersSeconds, requestSeconds }: Config,
  options: FastifyServerOptions,
): FastifyInstance {
  const timeouts = {
    headersTimeout: headersSeconds * 1000,
    requestTimeout: requestSeconds * 1000,
    connectionsCheckingInterval: 500,
  }
  const { requestTimeout } = timeouts
  if (key === undefined || cert === undefined) {
    return Fastify({ ...options, requestTimeout, http: timeouts })
  }
  const https = { key, cert, allowHTTP1: true, ...timeouts }
  const secure = { ...options, requestTimeout, http2: true, https }
  // To the rooms HTTP/2 looks the same; only its types differ.
  return Fastify(secure as FastifyServerOptions)
}

/** What a store could not do for reasons outside, as the client should hear of it. */
function fromStore(error: unknown, request: FastifyRequest): unknown {
  if (!(error instanceof StoreFailure)) return error
  request.log.warn({ err: error }, 'the store failed')
  return error.kind === 'full'
    ? insufficientStorage()
    : serviceUnavailable('What is kept here cannot be reached just now.')
}

/** A parser may not throw: a refusal stands in for the query until {@link findRefusal} meets it. */
function createQueryParser({ methodOverride: hidesControls }: Config) {
  return (text: string): Record<string, unknown> => {
    if (text === '') return {}
    try {
      const parameters: Record<string, unknown> = { ...parseParameters(text) }
      if (hidesControls) takeControlFields(parameters)
      return parameters
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error }
      throw error
    }
  }
}

/** What is wrong with a request before any room sees it. */
function findRefusal(request: FastifyRequest, config: Config): Refusal | undefined {
  const { raw } = request
  try {
    refuseBadHost(raw)
    if (request.originalUrl.length > maxTargetBytes) throw uriTooLong(maxTargetBytes)
    const { refusal } = request.query as { refusal?: unknown }
    if (refusal instanceof Refusal) throw refusal
    const ownOrigin = `${request.protocol}://${request.host}`
    refuseUnsafeLink(raw, ownOrigin)
    if (!isSafe(request.method)) refuseCrossSite(raw, ownOrigin, config.corsOrigins)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

type FindOffer = ReturnType<typeof watchOffers>

const serverMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Where no route matched: OPTIONS of a known path, a method it lacks, or nothing at all. */
function answerUnrouted(request: FastifyRequest, reply: FastifyReply, findOffer: FindOffer) {
  const path = toPath(request.url)
  if (!request.server.supportedMethods.includes(request.method)) {
    throw notImplemented(request.method)
  }
  // RFC 9110 §9.3.7: the asterisk asks about the server as a whole.
  if (path === '*') return reply.code(204).header('allow', serverMethods).send()
  const offer = findOffer(path)
  const isGone = offer?.methods.includes(request.method) && request.method !== 'OPTIONS'
  if (offer === undefined || isGone) throw notFound(`There is nothing at ${path}.`)
  if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, path, offer)
  return reply.code(204).headers(offer.headers).send()
}

/** A HEAD that came as something else has no body, and its client does not know: length 0. */
function frameByTheWire(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { wireMethod, method } = request.raw
    if (wireMethod === undefined || method !== 'HEAD' || wireMethod === 'HEAD') {
      done(null, payload)
      return
    }
    if (payload !== null && typeof payload === 'object' && 'destroy' in payload) {
      ;(payload as { destroy: () => void }).destroy()
    }
    reply.header('content-length', '0')
    done(null, '')
  })
}

/**
 * Connections of HTTP/1.1 are closed once the service is closing, which would otherwise wait for
 * all that are kept alive. HTTP/2 has no fields about its connection (RFC 9113 §8.2.2).
 */
function ruleConnections(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.raw.httpVersionMajor === 2) reply.removeHeader('connection').removeHeader('upgrade')
    else if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** The path without its query string: what people type into forms does not belong in a log. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { method, wireMethod, url = '' } = request.raw
  const { statusCode: status, elapsedTime: ms } = reply
  request.log.info({ method, wireMethod, path: toPath(url), status, ms }, 'answered')
}
