import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Backends } from './backends.ts'
import type { Config } from './config.ts'
import { answerUnrouted, watchOffers } from './http/allow.ts'
import { openAssets } from './http/assets.ts'
import {
  createBodyReader,
  discardRest,
  replaceUnreadableType,
  takeControlFields,
} from './http/bodies.ts'
import { answerClientError } from './http/client-error.ts'
import { refuseCrossSite } from './http/cross-site.ts'
import { headersOfEveryAnswer } from './http/every-answer.ts'
import { frameByTheWire, ruleConnections } from './http/framing.ts'
import { isSafe, methodOverride, refuseUnsafeLink } from './http/method-override.ts'
import { parseParameters } from './http/query-string.ts'
import { insufficientStorage, Refusal, serviceUnavailable } from './http/refusal.ts'
import { refuseBadHead } from './http/request-head.ts'
import { createRefusalSender, toFrameworkRefusal } from './http/send-refusal.ts'
import { createServer } from './http/server.ts'
import { toPath, toPlainTarget } from './http/target.ts'
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
      maxParamLength: config.maxUrlBytes,
      querystringParser: createQueryParser(config),
    },
  })

  if (config.methodOverride) app.addConstraintStrategy(methodOverride(readBody, config))
  app.setErrorHandler(async (error, request, reply) => {
    if (error instanceof Refusal && error.status === 413) await discardRest(request.raw, config)
    return sendRefusal(fromStore(error, request), request, reply)
  })
  const findOffer = watchOffers(app, config.maxUrlBytes)
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

/** What a store could not do for reasons outside, as the client should hear of it. */
function fromStore(error: unknown, request: FastifyRequest): unknown {
  if (!(error instanceof StoreFailure)) return error
  request.log.warn({ err: error }, 'the store failed')
  return error.kind === 'full'
    ? insufficientStorage()
    : serviceUnavailable('What is kept here cannot be reached just now.')
}

/** A parser may not throw: a refusal stands in for the query until {@link findRefusal} meets it. */
function createQueryParser(config: Config) {
  return (text: string): Record<string, unknown> => {
    if (text === '') return {}
    try {
      const parameters: Record<string, unknown> = { ...parseParameters(text, config) }
      if (config.methodOverride) takeControlFields(parameters)
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
    refuseBadHead(raw, config)
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

/** The path without its query string: what people type into forms does not belong in a log. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { method, wireMethod, url = '' } = request.raw
  const { statusCode: status, elapsedTime: ms } = reply
  request.log.info({ method, wireMethod, path: toPath(url), status, ms }, 'answered')
}
