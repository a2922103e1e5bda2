import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from './config/config.ts'
import { toEnvironmentName } from './config/settings.ts'
import { createBodyReader, replaceInvalidType } from './http/body/body-reader.ts'
import { discardRest } from './http/body/read-bytes.ts'
import { HttpError, serviceUnavailable } from './http/errors/http-error.ts'
import { createErrorSender, isUnrouted } from './http/errors/send-error.ts'
import { collectAllowedMethods } from './http/request/allowed-methods.ts'
import { applyFormHeaders, createMethodOverride } from './http/request/method-override.ts'
import { restoreTargets } from './http/request/interceptor.ts'
import { addOptionsMethod } from './http/request/options.ts'
import { createHeadCheck, parseRequestHead, toRequestId } from './http/request/request-head.ts'
import { createTargetParser, isRawRequest } from './http/request/target.ts'
import { createHeaderChooser } from './http/response/default-headers.ts'
import { keepBelow } from './http/response/base-path.ts'
import { finishResponses } from './http/response/finish-responses.ts'
import {
  isClosed,
  observeResponse,
  type FinishedResponse,
} from './http/response/observe-response.ts'
import { addIdempotencyHooks } from './idempotency/replay-responses.ts'
import { openOthers } from './inspector/recorder/ask-others.ts'
import { createExchangeLog } from './inspector/recorder/exchange-log.ts'
import { openExchanges, respondTo } from './inspector/recorder/exchanges.ts'
import { openInspector } from './inspector/inspector.ts'
import { findKeyError } from './inspector/recorder/owner.ts'
import { openBlockList, readEverySeconds } from './limits/block-list.ts'
import {
  countInProgress,
  createProxyCheck,
  findClient,
  limitConnections,
  openLimits,
  toAddressKey,
} from './limits/limits.ts'
import { openVisitorSandboxes, type VisitorSandboxes } from './limits/visitor-sandboxes.ts'
import { ErrorLog, toLogLine, createLog, standardOutput, type LogStream } from './operations/log.ts'
import type { Metrics } from './operations/metrics.ts'
import { createReadiness, type Readiness } from './operations/readiness.ts'
import { closeConnectionsOnShutdown } from './server/close-connections.ts'
import { createInstance, injectRequests } from './server/server.ts'
import { openAssets } from './site/assets.ts'
import { findDemos, findFileCollections, openDemo, type Demo } from './site/demo.ts'
import { openDemoPages } from './site/demo-page/demo-page.ts'
import { openDocs } from './site/docs/docs.ts'
import { renderFooter } from './site/footer.ts'
import { openHealth } from './site/health/health.ts'
import { openHome } from './site/home/home.ts'
import { openLearn } from './site/learn/learn.ts'
import { createNavigation } from './site/navigation.ts'
import { openProblems } from './site/problems/problems.ts'
import { toLifetime } from './site/sandbox-controls.ts'
import { renderError } from './site/send-page.ts'
import type { Stores } from './stores/open-stores.ts'
import { sweepFiles } from './stores/orphaned-files.ts'
import { runInSandbox } from './stores/sandboxes/sandboxes.ts'
import { StoreFailure } from './stores/store-failure.ts'
import { sweepRegularly } from './stores/sweep-regularly.ts'
import { createRequestedFailures } from './test-api/requested-failure.ts'

interface AppOptions {
  config: Config
  stores: Stores
  demos: readonly Demo[]
  logTo?: LogStream
  readiness?: Pick<Readiness, 'find'>
  metrics?: Pick<Metrics, 'begin' | 'end' | 'drop'> | undefined
}

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, stores } = options
  const visitors = await openVisitorSandboxes(config, stores.shared.records)
  const parts = { ...createParts(options, await findDemos(options.demos, config)), visitors }
  const { demos, limits } = parts
  const app = createInstance(config, toFastifyOptions(config, parts))
  app.decorate('declaredRoutes', [])
  app.decorate('routeUpdates', [])
  app.decorate('navigation', createNavigation(demos))
  app.decorate('footer', renderFooter(config))
  app.decorate('exchangeLog', parts.exchangeLog)
  app.decorate('sandboxLifetime', toLifetime(config.sandboxSeconds))
  app.decorate('receive', parts.exchangeLog.begin)
  app.decorate('discard', limits.discard)
  app.decorate('findBlock', parts.blockList.findError)
  limitConnections(app.server, config, (limit, isFirst) => {
    const name = toEnvironmentName(limit)
    options.metrics?.drop(name)
    const reached = `${name} (${String(config[limit])}) is reached`
    if (isFirst) app.log.warn(`${reached}: further connections are closed`)
  })
  // `request.log` would create a logger for each request, which costs a fifth of a small response.
  app.log = parts.log
  const { interceptor } = parts
  const lacksRoute = collectAllowedMethods(app, config.maxUrlBytes, interceptor?.findMethods)
  if (interceptor) restoreTargets(app)
  routeRequests(app, parts, createHeadCheck(config, lacksRoute))
  countInProgress(app, config)
  injectRequests(app)
  handleErrors(app, parts)

  receiveRequests(app, parts)
  addOptionsMethod(app, { ...config, ...parts.failures })
  readBodies(app, parts)
  applyFormHeaders(app)
  addIdempotencyHooks(app, stores.idempotencyEntries, parts.failures)
  sweepRegularly(app, { name: 'expired states', everySeconds: 600, sweep: stores.states.sweep })
  // Requests report a database that fails.
  const sweep = () => parts.blockList.read().catch(() => undefined)
  sweepRegularly(app, { name: 'blocked networks', everySeconds: readEverySeconds, sweep })
  finishResponses(app, config, closeConnectionsOnShutdown(app))
  app.addHook('onClose', limits.close)
  sweepStoredFiles(app, options)
  sweepSandboxes(app, options)
  await openSite(app, options, parts)
  for (const demo of demos) await openDemo(app, demo, { config, ...stores })
  return app
}

/** Sweeps the files of all demos, also of those that are not open: their files are kept. */
function sweepStoredFiles(app: FastifyInstance, { stores, demos }: AppOptions): void {
  const { files, records } = stores
  const collections = findFileCollections(demos)
  if (collections.length === 0) return
  const sweep = () => sweepFiles(files, records, collections)
  sweepRegularly(app, { name: 'unfinished files', everySeconds: 600, sweep })
}

function sweepSandboxes(app: FastifyInstance, { config, stores, demos }: AppOptions): void {
  if (config.sandboxes === 'off') return
  const collections = findFileCollections(demos)
  const sweep = (now: string) => stores.sandboxes.sweep(now, collections)
  sweepRegularly(app, { name: 'ended sandboxes', everySeconds: 60, sweep })
}

async function openSite(app: FastifyInstance, options: AppOptions, parts: AppParts): Promise<void> {
  const { config, stores, readiness } = options
  const { exchangeLog, limits, shapes } = parts
  const demos = parts.demos.filter(({ isUnlisted }) => !isUnlisted)
  openDocs(app, { demos, shapes, limits: limits.statuses })
  await openAssets(app, config)
  openHome(app, demos, config)
  openDemoPages(app, demos, config)
  openHealth(
    app,
    readiness ?? createReadiness({ ...stores, measure: undefined, server: app.server }),
  )
  openProblems(app)
  openLearn(app, demos)
  const respond = (question: string) => respondTo(question, exchangeLog)
  const { openReplicas } = stores
  const ask = openOthers(app, { config, openReplicas, respond })
  openInspector(app, openExchanges(exchangeLog, ask))
}

type AppParts = ReturnType<typeof createParts> & { visitors: VisitorSandboxes | undefined }

function createParts(
  { config, stores, logTo = standardOutput, ...options }: AppOptions,
  demos: readonly Demo[],
) {
  const shapes = demos.flatMap(({ errorShape }) => errorShape?.({ config, ...stores }) ?? [])
  const [interceptor] = demos.flatMap((demo) => demo.interceptor ?? [])
  const segments = demos.flatMap(({ segment }) => segment ?? [])
  const exchangeLog = createExchangeLog(config)
  const blockList = openBlockList(config, stores.shared.records)
  const isLogged = ['trace', 'debug', 'info'].includes(config.logLevel)
  return {
    config,
    demos,
    interceptor,
    blockList,
    limits: openLimits(config, { ...stores, findBlock: blockList.findError }),
    metrics: options.metrics,
    shapes,
    exchangeLog,
    failures: createRequestedFailures(config),
    isLogged,
    log: createLog(config, logTo),
    segments,
    readBody: createBodyReader(config),
    sendError: createErrorSender(shapes, renderError),
    chooseHeaders: createHeaderChooser(config),
    takeResponse: (reply: FastifyReply, response: FinishedResponse) => {
      const { request } = reply
      if (request.raw.recording) exchangeLog.record(request, reply, response)
      if (isLogged) logTo.queue(toLogLine(request, response))
      options.metrics?.end(response)
    },
  }
}

function toFastifyOptions(config: Config, parts: AppParts): FastifyServerOptions {
  const isProxy = createProxyCheck(config)
  return {
    logController: new ErrorLog({ disableRequestLogging: true }),
    genReqId: (raw: IncomingMessage) => toRequestId(raw, isProxy),
    frameworkErrors: (error, _request, reply) => {
      sendUnroutableError(error, reply, parts)
    },
    routerOptions: { maxParamLength: config.maxUrlBytes, querystringParser: () => ({}) },
  }
}

/** Runs before routing, because the target and the method decide the route. */
function routeRequests(
  app: FastifyInstance,
  { config, exchangeLog, limits, readBody, segments, interceptor, visitors }: AppParts,
  isHeadEnough: ReturnType<typeof createHeadCheck>,
): void {
  const route = app.routing.bind(app)
  const parseTarget = createTargetParser(config, app.declaredRoutes, segments)
  const { findAllowedMethods } = app
  const isProxy = createProxyCheck(config)
  const isDecided = (raw: IncomingMessage) => limits.isDecided(raw) || isHeadEnough(raw)
  const overrideMethod = createMethodOverride({ readBody, isDecided, findAllowedMethods })
  app.routing = (raw, response) => {
    if (raw.recording === undefined) exchangeLog.begin(raw)
    raw.originalUrl = raw.url ?? ''
    raw.url = parseTarget(raw)
    visitors?.useAddress(raw)
    keepBelow(raw, response)
    const routeNow = route.bind(undefined, raw, response)
    const next = config.methodOverride ? overrideMethod.bind(undefined, raw, routeNow) : routeNow
    const begin = () => {
      if (interceptor) interceptor.intercept(raw, { route: routeNow, next, isDecided })
      else next()
    }
    if (raw.sandbox)
      runInSandbox(
        { ...raw.sandbox, findClient: () => toAddressKey(findClient(raw, isProxy)) },
        [raw, response],
        begin,
      )
    else begin()
  }
}

/** Fastify runs no hooks for a request that it cannot route. */
function sendUnroutableError(error: { code: string }, reply: FastifyReply, parts: AppParts): void {
  const { request } = reply
  beginResponse(request, reply, parts)
  parts.limits.check(request, reply, (cause: unknown = error) => {
    try {
      parts.sendError(cause, request, reply)
    } catch (failure) {
      parts.log.error({ reqId: request.id, err: failure }, 'fault')
      request.raw.destroy()
    }
  })
}

function handleErrors(app: FastifyInstance, parts: AppParts): void {
  const { config, interceptor, sendError } = parts
  app.setErrorHandler(async (given: unknown, request, reply) => {
    const isMissing = given instanceof HttpError && given.status === 404
    const error = isMissing && interceptor ? interceptor.explain(given, request.raw) : given
    if (isUnrouted(error)) {
      sendUnroutableError(error, reply, parts)
      return reply
    }
    if (error instanceof HttpError && error.status === 413) await discardRest(request.raw, config)
    if (!(error instanceof StoreFailure)) return sendError(error, request, reply)
    // Stores stop reading for a client that has disconnected.
    if (!isClosed(reply.raw)) logStoreFailure(app, request.id, error)
    return sendError(storeFailureToHttpError(error), request, reply)
  })
}

function logStoreFailure({ log }: FastifyInstance, id: string, error: StoreFailure): void {
  const { kind, detail, message } = error
  if (kind === 'unavailable') log.warn({ reqId: id }, `${detail ?? databaseUnavailable} ${message}`)
  // The line of the request names a limit.
  else if (detail === undefined) log.warn({ reqId: id }, `the storage is full: ${message}`)
}

const databaseUnavailable = 'The database is temporarily unavailable.'

function storeFailureToHttpError({ kind, detail }: StoreFailure): HttpError {
  return kind === 'full'
    ? new HttpError('insufficient-storage', detail ?? 'The storage is full. Nothing was stored.')
    : serviceUnavailable(detail ?? databaseUnavailable)
}

function receiveRequests(app: FastifyInstance, parts: AppParts): void {
  const { config, failures, limits } = parts
  app.decorateRequest('negotiation', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const isRaw = beginResponse(request, reply, parts)
    replaceInvalidType(request.raw)
    limits.check(request, reply, (error) => {
      const problem =
        error ??
        request.raw.sandboxError ??
        parseRequestHead(request, config, isRaw) ??
        findKeyError(request)
      failures.apply(reply, done, problem, isRaw)
    })
  })
}

/** An onResponse hook would let Fastify watch the end of every stream. */
function beginResponse(request: FastifyRequest, reply: FastifyReply, parts: AppParts): boolean {
  const { exchangeLog, isLogged, metrics, chooseHeaders, takeResponse, visitors } = parts
  const isRaw = isRawRequest(request.raw)
  reply.headers(chooseHeaders(request, isRaw))
  visitors?.begin(request, reply)
  reply.header('x-request-id', request.id)
  if (request.raw.recording) exchangeLog.route(request, reply)
  if (isLogged || request.raw.recording || metrics) {
    metrics?.begin()
    observeResponse(reply, takeResponse)
  }
  return isRaw
}

function readBodies(app: FastifyInstance, { readBody }: AppParts): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', ({ is404, raw, routeOptions }, _raw, done) => {
    if (is404 || routeOptions.config.readsBodyItself === true) done(null)
    else
      readBody(raw, ({ error, value }) => {
        done(error ?? null, value)
      })
  })
}
