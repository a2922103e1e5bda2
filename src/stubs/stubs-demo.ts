import type { FastifyReply } from 'fastify'
import { readOnly } from '../http/errors/http-error.ts'
import { pathParameter } from '../http/openapi/content.ts'
import type { Route } from '../http/openapi/route.ts'
import type { Alternative } from '../responses/alternatives.ts'
import type { Described } from '../responses/parse-description.ts'
import { sendDescribed } from '../responses/send.ts'
import { takeStep } from '../responses/sequences.ts'
import type { Demo, Services } from '../site/demo.ts'
import type { States } from '../stores/states/states.ts'
import type { Stub } from './stub-list.ts'
import { stubRoute, stubsTag, type StubMatch, type Stubs } from './stubs.ts'

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
          return respond(reply, stub, services)
        },
      })
      return toDocumented(all)
    },
  }
}

async function respond(reply: FastifyReply, match: StubMatch, { config, states }: Services) {
  const { stub, index } = match
  const described: Described = stub.alternatives[index]?.described ?? {}
  const options = { config, cookiePath: '/', isStub: true }
  if (!('sequence' in described)) return sendDescribed(reply, described, options)
  // Any method stores the number of the step.
  if (config.readOnly) throw readOnly()
  const steps = described.sequence
  const { step = {} } = await takeStep(reply.request.raw, states, {
    key: toKey(stub, index),
    steps,
  })
  return sendDescribed(reply, step, options)
}

const toKey = ({ name }: Stub, index: number) => `stub ${name} ${String(index)}`

/** The sequences of all stubs begin again. */
export async function rewindSequences(stubs: readonly Stub[], states: States) {
  const keys = stubs.flatMap((stub) => stub.alternatives.map((_, index) => toKey(stub, index)))
  await Promise.all(keys.map((key) => states.remove(key)))
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
      steps.map(({ status = 200 }) => [String(status), { description }]),
    ),
    ...(hasSequence && { store: 'writes', errors: [403] }),
    isOfWildcard: true,
    // The route of all stubs has its requests.
    handler: (_, reply) => reply,
  }
}
