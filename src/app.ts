import Fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Backends } from './backends.ts'
import type { Config } from './config.ts'
import { watchOffers } from './http/allow.ts'
import { openAssets } from './http/assets.ts'
import { createBodyReader, replaceUnreadableType, takeControlFields } from './http/bodies.ts'
import { answerClientError } from './http/client-error.ts'
import { refuseCrossSite } from './http/cross-site.ts'
import { headersOfEveryAnswer } from './http/every-answer.ts'
import { isSafe, methodOverride, refuseUnsafeLink } from './http/method-override.ts'
import { parseParameters } from './http/query-string.ts'
import { methodNotAllowed, notFound, notImplemented, Refusal, uriTooLong } from './http/refusal.ts'
import { createRefusalSender, toFrameworkRefusal } from './http/send-refusal.ts'
import { maxTargetBytes, toPath, toPlainTarget } from './http/target.ts'
import type { House, Room } from './room.ts'
import { openHealth } from './rooms/health/health.ts'
import { openHome } from './rooms/home/home.ts'

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
  const house: House = { config, records: backends.records }
  const mounted = rooms.filter(({ name }) => config.rooms.includes(name))
  const readBody = createBodyReader(config)
  const sendRefusal = createRefusalSender(
    mounted.flatMap(({ shapeRefusals }) => shapeRefusals?.(house) ?? []),
  )

  const app = Fastify({
    logger: { level: config.logLevel, ...(logTo && { stream: logTo }) },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOfEveryAnswer)
      sendRefusal(toFrameworkRefusal(error), request, reply)
    },
    clientErrorHandler: answerClientError,
    rewriteUrl: ({ url = '/' }) => toPlainTarget(url),
    routerOptions: {
      maxParamLength: maxTargetBytes,
      querystringParser: createQueryParser(config),
    },
  })

  if (config.methodOverride) app.addConstraintStrategy(methodOverride(readBody))
  app.setErrorHandler(sendRefusal)
  const findOffer = watchOffers(app)
  app.setNotFoundHandler((request, reply) => answerUnrouted(request, reply, findOffer))

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOfEveryAnswer)
    replaceUnreadableType(request.raw)
    done(findRefusal(request, config))
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) =>
    request.is404 ? undefined : (await readBody(request.raw)).value,
  )
  frameByTheWire(app)
  closeConnectionsOnceClosing(app)
  logEveryAnswer(app)

  openAssets(app)
  openHome(app, mounted)
  openHealth(app)
  for (const room of mounted) {
    await app.register(async (instance) => room.open(instance, house))
  }
  return app
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

/** Otherwise closing would wait for every kept-alive connection that was busy when it began. */
function closeConnectionsOnceClosing(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isClosing && request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** The path without its query string: what people type into forms does not belong in a log. */
function logEveryAnswer(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, wireMethod, url } = request.raw
    const { statusCode, elapsedTime } = reply
    request.log.info(
      { method, wireMethod, path: toPath(url ?? ''), status: statusCode, ms: elapsedTime },
      'answered',
    )
    done()
  })
}
