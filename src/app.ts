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
import type { Backends } from './stores/open-stores.ts'
import type { Config } from './config/config.ts'
import { watchOffers } from './http/request/allowed-methods.ts'
import { openAssets } from './site/assets.ts'
import {
  createBodyReader,
  discardRest,
  handBody,
  replaceUnreadableType,
  type Body,
  type BodyReader,
} from './http/body/body-reader.ts'
import { answerClientError } from './server/connection-errors.ts'
import { createHeaders } from './http/response/default-headers.ts'
import { createExchanges, sayRequestId, type Exchanges } from './inspector/exchange-log.ts'
import { createHeadCheck, createQueryParser, findRefusal } from './http/request/request-guards.ts'
import { heedControlFields } from './http/request/form-headers.ts'
import { sayDigests } from './http/body/digest.ts'
import { countStreams, followAnswer } from './http/response/response-observer.ts'
import { frameByTheWire, ruleConnections } from './http/response/framing.ts'
import { methodOverride } from './http/request/method-override.ts'
import { answerPreflights, answerUnrouted } from './http/request/options.ts'
import { toRequestId } from './http/request/request-id.ts'
import { insufficientStorage, Refusal, serviceUnavailable } from './http/errors/http-error.ts'
import {
  createRefusalSender,
  isUnrouted,
  toFrameworkRefusal,
  type RefusalShape,
} from './http/errors/send-error.ts'
import { tagResponses } from './http/response/send-tagged.ts'
import { createServer } from './server/server.ts'
import { takeTarget } from './http/request/target.ts'
import { limitConnections } from './limits/connection-limits.ts'
import type { Limits } from './limits/limits.ts'
import { FaultLog, logAnswer } from './operations/access-log.ts'
import { createLog, type LogStream } from './operations/log.ts'
import { createReadiness, type Readiness } from './operations/readiness.ts'
import { replayAnswers } from './idempotency/replay-responses.ts'
import type { House, Room } from './site/demo.ts'
import { openDocs } from './site/docs/docs.ts'
import { openHealth } from './site/health/health.ts'
import { openHome } from './site/home/home.ts'
import { openProblems } from './site/problems/problems.ts'
import { openWire } from './inspector/inspector.ts'
import { StoreFailure } from './stores/store-failure.ts'
import { createAsking } from './operations/workers.ts'

interface AppOptions {
  config: Config
  backends: Backends
  /** Every room there is; `config.rooms` says which of them are mounted. */
  rooms: readonly Room[]
  /** Where the log goes; standard output when unset. */
  logTo?: LogStream
  /** Whether requests should come; of an app that is asked with `inject` alone when unset. */
  readiness?: Pick<Readiness, 'find'>
  /** Told of every answer, when set. */
  metrics?: Pick<Metrics, 'begin' | 'end'> | undefined
}

/**
 * The whole service as a value: everything that a request passes, in order, then the rooms. It can
 * be asked with `inject` or told to `listen`; the caller closes it, and then the backends.
 */
export async function buildApp(options: AppOptions) {
  const { config, backends, rooms, readiness = toReadiness(backends) } = options
  const house: House = { config, ...backends }
  const mounted = rooms.filter(({ name }) => config.rooms.includes(name))
  const limits = await loadLimits(options)
  const parts = createParts(options, { house, mounted, limits })

  const app = createServer(config, toServerOptions(config, parts))
  limitConnections(app.server, config)
  // Not `request.log`, which says nothing: a logger for each request costs a fifth of a small answer.
  app.log = parts.log
  const { findOffer, hasPath } = watchOffers(app, config.maxUrlBytes)
  if (config.methodOverride) {
    const isHeadEnough = createHeadCheck(config, hasPath)
    const isDecided = async (raw: IncomingMessage) =>
      limits?.isShed(raw) === true || isHeadEnough(raw)
    app.addConstraintStrategy(methodOverride(parts.readBody, config, isDecided))
  }
  sendRefusals(app, parts)
  answerUnrouted(app, findOffer, config)

  // Hooks of one kind run in the order in which they are added.
  receiveRequests(app, parts)
  answerPreflights(app, findOffer, config)
  readBodies(app, parts)
  heedControlFields(app, parts)
  replayAnswers(app, backends.answers)
  sayDigests(app)
  tagResponses(app)
  frameByTheWire(app)
  ruleConnections(app)
  if (parts.isLogged || parts.metrics) countStreams(app)
  if (limits) app.addHook('onClose', limits.close)

  openDocs(app, { rooms: mounted, shapes: parts.shapes, limits: limits?.statuses })
  openAssets(app)
  openHome(app, mounted)
  openHealth(app, readiness)
  openProblems(app)
  openWire(app, parts.exchanges.find, createAsking(parts.exchanges.find))
  for (const room of mounted) {
    await app.register(async (instance) => room.open(instance, house))
  }
  return app
}

function toReadiness({ records }: Backends): Readiness {
  const readiness = createReadiness()
  readiness.open(records)
  return readiness
}

/** Undefined where no setting asks for one, and then nothing of it is loaded. */
async function loadLimits({ config, backends }: AppOptions): Promise<Limits | undefined> {
  const { counters } = backends
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
  exchanges: Exchanges
  readBody: BodyReader
  /** The headers of every answer to this request. */
  toHeaders: ReturnType<typeof createHeaders>
  shapes: readonly RefusalShape[]
  sendRefusal: ReturnType<typeof createRefusalSender>
  limits: Limits | undefined
}

interface Made {
  house: House
  mounted: readonly Room[]
  limits: Limits | undefined
}

function createParts(
  { config, logTo, metrics }: AppOptions,
  { house, mounted, limits }: Made,
): Parts {
  const shapes = mounted.flatMap(({ shapeRefusals }) => shapeRefusals?.(house) ?? [])
  return {
    config,
    log: createLog(config, logTo),
    isLogged: ['trace', 'debug', 'info'].includes(config.logLevel),
    metrics,
    exchanges: createExchanges(),
    readBody: createBodyReader(config),
    toHeaders: createHeaders(config),
    shapes,
    sendRefusal: createRefusalSender(shapes),
    limits,
  }
}

function toServerOptions(config: Config, parts: Parts): FastifyServerOptions {
  return {
    logController: new FaultLog(parts.log),
    genReqId: toRequestId,
    frameworkErrors: (error, request, reply) => {
      refuseUnroutable(error, request, { reply, ...parts })
    },
    clientErrorHandler: answerClientError,
    rewriteUrl: takeTarget,
    routerOptions: {
      maxParamLength: config.maxUrlBytes,
      querystringParser: createQueryParser(config),
    },
  }
}

/** No hook runs for what cannot be routed, so all is done here. */
function refuseUnroutable(
  error: FastifyError,
  request: FastifyRequest,
  { reply, ...parts }: Parts & { reply: FastifyReply },
): void {
  const { limits, log, sendRefusal } = parts
  beginAnswer(request, reply, parts)
  const send = (refusal: unknown = toFrameworkRefusal(error)) => {
    try {
      sendRefusal(refusal, request, reply)
    } catch (failure) {
      // Nothing can be answered any more, and nobody would catch this.
      log.error({ reqId: request.id, err: failure }, 'fault')
      request.raw.destroy()
    }
  }
  if (limits) limits.refuse(request, reply, send)
  else send()
}

/** Everything thrown, by a hook or a room, is rendered in one place. */
function sendRefusals(app: FastifyInstance, parts: Parts): void {
  const { config, sendRefusal } = parts
  app.setErrorHandler(async (error: unknown, request, reply) => {
    if (isUnrouted(error)) {
      refuseUnroutable(error, request, { reply, ...parts })
      return reply
    }
    if (error instanceof Refusal && error.status === 413) await discardRest(request.raw, config)
    return sendRefusal(fromStore(error, request), request, reply)
  })
}

/** The first that a routed request meets: the headers of its answer, and what is wrong with it. */
function receiveRequests(app: FastifyInstance, parts: Parts): void {
  const { config, limits } = parts
  app.decorateRequest('negotiation', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    beginAnswer(request, reply, parts)
    replaceUnreadableType(request.raw)
    if (limits === undefined) done(findRefusal(request, config))
    else {
      limits.refuse(request, reply, (refusal) => {
        done(refusal ?? findRefusal(request, config))
      })
    }
  })
}

/** The end not by a hook behind the answer, for which Fastify would follow every one to its end. */
function beginAnswer(request: FastifyRequest, reply: FastifyReply, parts: Parts): void {
  const { exchanges, isLogged, metrics, toHeaders } = parts
  reply.headers(toHeaders(request))
  sayRequestId(request, reply)
  const isRecorded = exchanges.wants(request)
  if (!isLogged && !isRecorded && metrics === undefined) return
  metrics?.begin()
  followAnswer(request, reply, (answer) => {
    if (isRecorded && !answer.isCutOff) exchanges.record(request, reply, answer.ms)
    if (isLogged) logAnswer(request, answer)
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
    else handBody(readBody(request.raw), take, done)
  })
}

/** What a store could not do for reasons outside, as the client should hear of it. */
function fromStore(error: unknown, request: FastifyRequest): unknown {
  if (!(error instanceof StoreFailure)) return error
  request.server.log.warn({ reqId: request.id, err: error }, 'the store failed')
  return error.kind === 'full'
    ? insufficientStorage()
    : serviceUnavailable('What is kept here cannot be reached just now.')
}
