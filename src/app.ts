import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Metrics } from './operations/metrics.ts'
import type { Stores } from './stores/open-stores.ts'
import type { Config } from './config/config.ts'
import { collectAllowedMethods } from './http/request/allowed-methods.ts'
import { openAssets } from './site/assets.ts'
import {
  createBodyReader,
  discardRest,
  withBody,
  replaceUnreadableType,
  type Body,
  type BodyReader,
} from './http/body/body-reader.ts'
import { respondToClientError } from './server/connection-errors.ts'
import { createHeaders } from './http/response/default-headers.ts'
import {
  createExchangeLog,
  setRequestIdHeaders,
  type ExchangeLog,
} from './inspector/exchange-log.ts'
import {
  createHeadCheck,
  createQueryParser,
  findRequestError,
} from './http/request/request-guards.ts'
import { applyFormHeaders } from './http/request/form-headers.ts'
import { addDigestHeaders } from './http/body/digest.ts'
import { addStreamCounter, observeResponse } from './http/response/response-observer.ts'
import { frameOverriddenHead, closeConnectionsOnShutdown } from './http/response/framing.ts'
import { methodOverride } from './http/request/method-override.ts'
import { addPreflightHook, addNotFoundHandler } from './http/request/options.ts'
import { toRequestId } from './http/request/request-id.ts'
import { insufficientStorage, HttpError, serviceUnavailable } from './http/errors/http-error.ts'
import {
  createErrorSender,
  isUnrouted,
  toFrameworkError,
  type ErrorShape,
} from './http/errors/send-error.ts'
import { tagResponses } from './http/response/send-tagged.ts'
import { createServer } from './server/server.ts'
import { takeTarget } from './http/request/target.ts'
import { limitConnections } from './limits/connection-limits.ts'
import type { Limits } from './limits/limits.ts'
import { ErrorLog, logResponse } from './operations/access-log.ts'
import { createLog, type LogStream } from './operations/log.ts'
import { createReadiness, type Readiness } from './operations/readiness.ts'
import { addIdempotencyHooks } from './idempotency/replay-responses.ts'
import type { Services, Demo } from './site/demo.ts'
import { renderErrorPage } from './site/error-page.ts'
import { openDocs } from './site/docs/docs.ts'
import { openHealth } from './site/health/health.ts'
import { openHome } from './site/home/home.ts'
import { openProblems } from './site/problems/problems.ts'
import { openInspector } from './inspector/inspector.ts'
import { StoreFailure } from './stores/store-failure.ts'
import { createWorkerLookup } from './operations/workers.ts'

interface AppOptions {
  config: Config
  stores: Stores
  /** Every room there is; `config.demos` says which of them are mounted. */
  demos: readonly Demo[]
  /** Where the log goes; standard output when unset. */
  logTo?: LogStream
  /** Whether requests should come; of an app that is asked with `inject` alone when unset. */
  readiness?: Pick<Readiness, 'find'>
  /** Told of every answer, when set. */
  metrics?: Pick<Metrics, 'begin' | 'end'> | undefined
}

/**
 * The whole service as a value: everything that a request passes, in order, then the rooms. It can
 * be asked with `inject` or told to `listen`; the caller closes it, and then the stores.
 */
export async function buildApp(options: AppOptions) {
  const { config, stores, demos, readiness = toReadiness(stores) } = options
  const services: Services = { config, ...stores }
  const mounted = demos.filter(({ name }) => config.demos.includes(name))
  const limits = await loadLimits(options)
  const parts = createParts(options, { services: services, mounted, limits })

  const app = createServer(config, toServerOptions(config, parts))
  limitConnections(app.server, config)
  // Not `request.log`, which says nothing: a logger for each request costs a fifth of a small answer.
  app.log = parts.log
  const { findOffer, hasPath } = collectAllowedMethods(app, config.maxUrlBytes)
  if (config.methodOverride) {
    const isHeadEnough = createHeadCheck(config, hasPath)
    const isDecided = async (raw: IncomingMessage) =>
      limits?.shouldShed(raw) === true || isHeadEnough(raw)
    app.addConstraintStrategy(methodOverride(parts.readBody, config, isDecided))
  }
  handleErrors(app, parts)
  addNotFoundHandler(app, findOffer, config)

  // Hooks of one kind run in the order in which they are added.
  receiveRequests(app, parts)
  addPreflightHook(app, findOffer, config)
  readBodies(app, parts)
  applyFormHeaders(app, parts)
  addIdempotencyHooks(app, stores.idempotencyEntries)
  addDigestHeaders(app)
  tagResponses(app)
  frameOverriddenHead(app)
  closeConnectionsOnShutdown(app)
  if (parts.isLogged || parts.metrics) addStreamCounter(app)
  if (limits) app.addHook('onClose', limits.close)

  openDocs(app, { demos: mounted, shapes: parts.shapes, limits: limits?.statuses })
  openAssets(app)
  openHome(app, mounted)
  openHealth(app, readiness)
  openProblems(app)
  openInspector(app, parts.exchangeLog.find, createWorkerLookup(parts.exchangeLog.find))
  for (const room of mounted) {
    await app.register(async (instance) => room.open(instance, services))
  }
  return app
}

function toReadiness({ records }: Stores): Readiness {
  const readiness = createReadiness()
  readiness.open(records.collection('health'))
  return readiness
}

/** Undefined where no setting asks for one, and then nothing of it is loaded. */
async function loadLimits({ config, stores }: AppOptions): Promise<Limits | undefined> {
  const { counters } = stores
  if (counters === undefined && config.maxEventLoopDelayMs === undefined) return undefined
  const { openLimits } = await import('./limits/limits.ts')
  return openLimits(config, counters)
}

/** What several of the steps below share. */
interface Parts {
  config: Config
  log: FastifyBaseLogger
  /** Whether each answer has a line in the log. */
  isLogged: boolean
  metrics: AppOptions['metrics']
  exchangeLog: ExchangeLog
  readBody: BodyReader
  /** The headers of every answer to this request. */
  toHeaders: ReturnType<typeof createHeaders>
  shapes: readonly ErrorShape[]
  sendError: ReturnType<typeof createErrorSender>
  limits: Limits | undefined
}

interface Prepared {
  services: Services
  mounted: readonly Demo[]
  limits: Limits | undefined
}

function createParts(
  { config, logTo, metrics }: AppOptions,
  { services: services, mounted, limits }: Prepared,
): Parts {
  const shapes = mounted.flatMap(({ errorShape: shapeRefusals }) => shapeRefusals?.(services) ?? [])
  return {
    config,
    log: createLog(config, logTo),
    isLogged: ['trace', 'debug', 'info'].includes(config.logLevel),
    metrics,
    exchangeLog: createExchangeLog(),
    readBody: createBodyReader(config),
    toHeaders: createHeaders(config),
    shapes,
    sendError: createErrorSender(shapes, renderErrorPage),
    limits,
  }
}

function toServerOptions(config: Config, parts: Parts): FastifyServerOptions {
  return {
    logController: new ErrorLog(parts.log),
    genReqId: toRequestId,
    frameworkErrors: (error, request, reply) => {
      sendUnroutableError(error, request, { reply, ...parts })
    },
    clientErrorHandler: respondToClientError,
    rewriteUrl: takeTarget,
    routerOptions: {
      maxParamLength: config.maxUrlBytes,
      querystringParser: createQueryParser(config),
    },
  }
}

/** No hook runs for what cannot be routed, so all is done here. */
function sendUnroutableError(
  error: FastifyError,
  request: FastifyRequest,
  { reply, ...parts }: Parts & { reply: FastifyReply },
): void {
  const { limits, log, sendError: sendRefusal } = parts
  beginResponse(request, reply, parts)
  const send = (refusal: unknown = toFrameworkError(error)) => {
    try {
      sendRefusal(refusal, request, reply)
    } catch (failure) {
      // Nothing can be answered any more, and nobody would catch this.
      log.error({ reqId: request.id, err: failure }, 'fault')
      request.raw.destroy()
    }
  }
  if (limits) limits.check(request, reply, send)
  else send()
}

/** Everything thrown, by a hook or a room, is rendered in one place. */
function handleErrors(app: FastifyInstance, parts: Parts): void {
  const { config, sendError: sendRefusal } = parts
  app.setErrorHandler(async (error: unknown, request, reply) => {
    if (isUnrouted(error)) {
      sendUnroutableError(error, request, { reply, ...parts })
      return reply
    }
    if (error instanceof HttpError && error.status === 413) await discardRest(request.raw, config)
    return sendRefusal(toStoreError(error, request), request, reply)
  })
}

/** The first that a routed request meets: the headers of its answer, and what is wrong with it. */
function receiveRequests(app: FastifyInstance, parts: Parts): void {
  const { config, limits } = parts
  app.decorateRequest('negotiation', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    beginResponse(request, reply, parts)
    replaceUnreadableType(request.raw)
    if (limits === undefined) done(findRequestError(request, config))
    else {
      limits.check(request, reply, (refusal) => {
        done(refusal ?? findRequestError(request, config))
      })
    }
  })
}

/** The end not by a hook behind the answer, for which Fastify would follow every one to its end. */
function beginResponse(request: FastifyRequest, reply: FastifyReply, parts: Parts): void {
  const { exchangeLog: exchanges, isLogged, metrics, toHeaders } = parts
  reply.headers(toHeaders(request))
  setRequestIdHeaders(request, reply)
  const isRecorded = exchanges.shouldRecord(request)
  if (!isLogged && !isRecorded && metrics === undefined) return
  metrics?.begin()
  observeResponse(request, reply, (answer) => {
    if (isRecorded && !answer.isCutOff) exchanges.record(request, reply, answer.ms)
    if (isLogged) logResponse(request, answer)
    metrics?.end(answer)
  })
}

function readBodies(app: FastifyInstance, { readBody }: Parts): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, _payload, done) => {
    const take = ({ value }: Body) => {
      done(null, value)
    }
    if (request.is404 || request.routeOptions.config.readsBodyItself === true) done(null)
    else withBody(readBody(request.raw), take, done)
  })
}

/** What a store could not do for reasons outside, as the client should hear of it. */
function toStoreError(error: unknown, request: FastifyRequest): unknown {
  if (!(error instanceof StoreFailure)) return error
  request.server.log.warn({ reqId: request.id, err: error }, 'the store failed')
  return error.kind === 'full'
    ? insufficientStorage()
    : serviceUnavailable('What is kept here cannot be reached just now.')
}
