import type { FastifyReply } from 'fastify'
import { buffer } from 'node:stream/consumers'
import { HttpError, readOnly } from '../http/errors/http-error.ts'
import { pathParameter } from '../http/openapi/content.ts'
import type { Route } from '../http/openapi/route.ts'
import type { Alternative, Alternatives } from '../responses/alternatives.ts'
import { parseDescription, type Described } from '../responses/parse-description.ts'
import { readEarly } from '../responses/request-values.ts'
import { findUses, renderDescription } from '../responses/render.ts'
import { sendDescribed } from '../responses/send.ts'
import type { Description } from '../responses/description.ts'
import { allowUpgrade } from '../http/upgrades.ts'
import { withFile } from '../http/response/static-files.ts'
import { toFilePath } from './file-path.ts'
import { takeStep } from '../responses/sequences.ts'
import type { Demo, Services } from '../site/demo.ts'
import { toReason } from '../stores/store-failure.ts'
import type { States } from '../stores/states/states.ts'
import type { Stub, StubList } from './stub-list.ts'
import { openStubSocket } from './stub-socket.ts'
import { stubRoute, stubsTag, toStubValues, type StubMatch, type Stubs } from './stubs.ts'

export function toStubsDemo(stubs: Stubs): Demo {
  const all = stubs.list.stubs
  const links = all.filter(({ method, pattern }) => method === 'GET' && pattern.isLiteral)
  return {
    name: stubsTag,
    title: 'Described responses',
    summary: 'The responses that the data file or the file of responses describes.',
    group: 'Requests and responses',
    samples: links.map(({ pattern }) => ({
      title: pattern.path,
      method: 'GET',
      path: pattern.path,
    })),
    interceptor: stubs,
    routes: (services, app) => {
      // A stub may respond to a handshake at any path, of any sandbox.
      allowUpgrade(app, () => true)
      app.route({
        method: 'POST',
        url: stubRoute,
        // The response depends neither on the body nor on conditions.
        config: { readsBodyItself: true, ignoresConditions: true, derivesHead: true },
        handler: async ({ raw }, reply) => {
          const { stub } = raw
          if (stub === undefined) {
            reply.callNotFound()
            return reply
          }
          if ('error' in stub) throw stub.error
          return respond(reply, stub, { ...services, stubs })
        },
      })
      const declared = toDocumented(all)
      app.routeUpdates.push(createRouteUpdate(stubs, declared))
      return declared
    },
  }
}

interface StubServices extends Services {
  stubs: Stubs
}

async function respond(reply: FastifyReply, match: StubMatch, services: StubServices) {
  const { stub, index } = match
  if (stub.respond) return sendOfFunction(reply, match, services)
  const described: Described = stub.alternatives[index]?.described ?? {}
  if (!('sequence' in described)) return sendRendered(reply, match, described, services)
  // Any method stores the number of the step.
  if (services.config.readOnly) throw readOnly()
  const steps = described.sequence
  const key = toKey(stub, String(index))
  const { step = {} } = await takeStep(reply.request.raw, services.states, { key, steps })
  return sendRendered(reply, match, step, services)
}

async function sendRendered(
  reply: FastifyReply,
  { stub, groups }: StubMatch,
  given: Description,
  { config, states, stubs }: StubServices,
) {
  const { raw } = reply.request
  const { folder } = stub
  const source = {
    owner: `The stub ${stub.name}`,
    limits: folder === undefined ? config : { ...config, folder },
    loadValues: async () => toStubValues(raw, groups, config, await readEarly(raw, config)),
    countRequest: async () => {
      if (config.readOnly) throw readOnly()
      return (await takeStep(raw, states, { key: toKey(stub, 'number'), steps: [] })).requests
    },
    loadData: stubs.loadData,
    toSeed: () => `${stub.name} ${String((stub.draws.rendered += 1))}`,
  }
  if (given.websocket) return openStubSocket(reply, given, { source, config })
  const description = await renderDescription(given, source)
  const file = await readFile(stub, description, config)
  return sendDescribed(reply, description, { config, cookiePath: '/', isStub: true, file })
}

/** Its result is no template: it can have text of the request. */
async function sendOfFunction(reply: FastifyReply, match: StubMatch, { config }: StubServices) {
  const { raw } = reply.request
  const { name, respond: call } = match.stub
  const values = toStubValues(raw, match.groups, config, await readEarly(raw, config))
  try {
    const description = parseDescription(await call?.(values), config)
    return await sendDescribed(reply, description, { config, cookiePath: '/', isStub: true })
  } catch (error) {
    const detail = `The function of the stub ${name} failed: ${toReason(error)}`
    throw new HttpError('internal-error', detail, { cause: error })
  }
}

async function readFile(
  { name, folder = '' }: Stub,
  { file }: Description,
  { maxUploadBytes }: Services['config'],
) {
  if (file === undefined) return undefined
  const found = await withFile(folder, toFilePath(file), (bytes) => bytes)
  if (!found) throw new HttpError('internal-error', `The stub ${name} has no file ${file}.`)
  if (found.size > maxUploadBytes)
    throw new HttpError('internal-error', `The file ${file} is larger than MAX_UPLOAD_BYTES.`)
  const content = await found.open(0, found.size - 1)
  const bytes =
    found.size === 0 ? Buffer.alloc(0) : Buffer.isBuffer(content) ? content : await buffer(content)
  return { bytes, type: found.type }
}

const toKey = ({ name }: Stub, part: string) => `stub ${name} ${part}`

/** The sequences of these stubs begin again, and the numbers of their requests. */
export async function rewindSequences(stubs: readonly Stub[], states: States) {
  const keys = stubs.flatMap((stub) =>
    listCounts(stub.alternatives).map((part) => toKey(stub, String(part))),
  )
  await Promise.all(keys.map((key) => states.remove(key)))
}

function listCounts(alternatives: Alternatives) {
  const described = [...alternatives.entries()].map(
    ([index, each]) => [index, each.described] as const,
  )
  const sequences = described.flatMap(([index, each]) => ('sequence' in each ? index : []))
  const all = described.flatMap(([, each]) => ('sequence' in each ? each.sequence : [each]))
  return [...sequences, ...(all.some((each) => findUses(each).isNumbered) ? ['number'] : [])]
}

const documentable = /^\/(?:(?::?[\w.~%-]+)(?:\/|$))*$/

/** Those that OpenAPI can describe. The path of an earlier stub is that of a later one too. */
function toDocumented(stubs: readonly Stub[]): Route[] {
  const known = new Set<string>()
  return stubs.flatMap(({ method, pattern: { path }, alternatives }) => {
    const key = `${method} ${path.replaceAll(/:[^/]+/g, ':')}`
    const isKnown = known.has(key) || !documentable.test(path)
    known.add(key)
    const isListed = /^(GET|POST|PUT|PATCH|DELETE)$/.test(method)
    return isKnown || !isListed ? [] : toRoute(method, path, alternatives)
  })
}

/** The documentation of the stubs of the file that is loaded, with those that are no longer there. */
function createRouteUpdate(stubs: Stubs, declared: readonly Route[]) {
  let last: { list: StubList; routes: readonly Route[] } = { list: stubs.list, routes: [] }
  const toKey = ({ method, url }: Route) => `${String(method)} ${url}`
  const update = () => {
    const now = toDocumented(stubs.list.stubs)
    const keys = new Set(now.map(toKey))
    const gone = declared.filter((route) => !keys.has(toKey(route)))
    const routes = now.map((route) => ({ ...route, tag: stubsTag }))
    return [...routes, ...gone.map((route) => ({ ...route, isGone: true }))]
  }
  return () => {
    if (last.list !== stubs.list) last = { list: stubs.list, routes: update() }
    return Promise.resolve(last.routes)
  }
}

function toRoute(method: string, url: string, alternatives: readonly Alternative[]): Route {
  const described = alternatives.map((alternative) => alternative.described)
  const steps = described.flatMap((each) => ('sequence' in each ? each.sequence : [each]))
  const hasSequence = described.some((each) => 'sequence' in each)
  const description = 'The response that the file describes.'
  return {
    method,
    url,
    file: 'src/stubs/stubs-demo.ts',
    summary: 'Respond as the file describes',
    parameters: [...url.matchAll(/:([^/]+)/g)].map(([, name = '']) =>
      pathParameter(name, 'Any text.', '1'),
    ),
    responses: Object.fromEntries(
      steps.map(({ websocket, status = websocket ? 101 : 200 }) => [
        String(status),
        { description },
      ]),
    ),
    ...(hasSequence && { store: 'writes', errors: [403] }),
    isOfWildcard: true,
    // The route of all stubs has its requests.
    handler: (_, reply) => reply,
  }
}
