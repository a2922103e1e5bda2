import type { FastifyInstance } from 'fastify'
import type { InjectOptions } from 'light-my-request'
import type { Config } from './config/config.ts'
import type { openDemos } from './data-file/data-demos.ts'
import { demos } from './demos/catalogue.ts'
import { explainProblem, type FieldProblem } from './http/errors/http-error.ts'
import { isSandboxKey, openKey, wrongKey } from './http/request/sandbox-key.ts'
import { isWithoutContent } from './http/response/without-content.ts'
import { findReceived, toRequest } from './inspector/recorder/received-requests.ts'
import type { Stores } from './stores/open-stores.ts'
import { runInScope, type Scope } from './stores/sandboxes/sandboxes.ts'
import { parseStubs } from './stubs/parse-stubs.ts'
import type { Stub } from './stubs/stub-list.ts'
import { rewindSequences } from './stubs/stubs-demo.ts'
import { openSnapshots } from './test-api/snapshots.ts'

interface Embedded {
  app: FastifyInstance
  config: Config
  stores: Stores
  served: Awaited<ReturnType<typeof openDemos>>
}

interface Filter {
  method?: string
  path?: string
  stub?: string
  sandbox?: string
}

type Respond = NonNullable<Stub['respond']>

const toOfFunction = (stub: Stub, respond: Respond): Stub => ({
  ...stub,
  given: '(a function)',
  respond,
})

/** What a program that embeds the service does without a request. */
export function createTestMethods({ app, config, stores, served }: Embedded) {
  const { stubs, definitions } = served
  const resources = demos.flatMap(({ resource }) => resource ?? [])
  const kept = config.dataFile === undefined ? resources : definitions
  const snapshots = openSnapshots(stores.records, kept)
  const rewind = () => rewindSequences(stubs.findList().stubs, stores.states)
  return {
    setStubs: (given: unknown, sandbox?: string) =>
      runInScope(toScope(sandbox), async () => {
        stubs.changes.replace(assertStubs(given, config))
        await rewind()
      }),
    addStub: (name: string, given: object | Respond, sandbox?: string) =>
      runInScope(toScope(sandbox), async () => {
        const isFunction = typeof given === 'function'
        const parsed = assertStubs({ [name]: isFunction ? {} : given }, config)
        const added = isFunction
          ? parsed.map((stub) => toOfFunction(stub, given as Respond))
          : parsed
        stubs.changes.add(added)
        await rewindSequences(added, stores.states)
      }),
    findRequests: async ({ method, path, stub, sandbox }: Filter) => {
      if (config.inspector === 'off')
        throw new Error('requests() needs the request inspector, which INSPECTOR=off turns off')
      const values = stub === undefined ? undefined : [stub]
      const filters = values && [{ field: 'stub', operator: 'eq' as const, values }]
      const filter = { method: method?.toUpperCase(), path, ...(filters && { filters }) }
      const scope = toScope(sandbox)
      const found = await findReceived(app.exchangeLog, filter, scope && `.${scope.sandbox.id}`)
      return Promise.all(found.map(toRequest))
    },
    snapshot: async (name: string) => {
      await snapshots.create(name)
    },
    restore: async (name: string) => {
      await snapshots.restore(name)
      await rewind()
      await stores.idempotencyEntries.clear()
    },
    inject: async ({ body, ...request }: Injected): Promise<globalThis.Response> => {
      await app.ready()
      const payload = body instanceof Uint8Array ? Buffer.from(body) : body
      const options = { ...request, ...(payload !== undefined && { payload }) }
      return toResponse(await app.inject(options as InjectOptions), request.method)
    },
  }
}

interface Injected {
  method?: string
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array | object
}

/** Throws a TypeError for what is no key. */
export function toScope(sandbox: string | undefined): Scope | undefined {
  if (sandbox !== undefined && !isSandboxKey(sandbox)) throw new TypeError(wrongKey)
  return sandbox === undefined ? undefined : { sandbox: openKey(sandbox) }
}

function assertStubs(given: unknown, config: Config) {
  const problems: FieldProblem[] = []
  const stubs = parseStubs(given, config, (message, _, [field = 'responses', ...inside] = []) => {
    problems.push({ field, inside, message })
  })
  if (problems.length === 0) return stubs
  throw new TypeError(problems.map((problem) => explainProblem(problem)).join('\n'))
}

function toResponse(found: Awaited<ReturnType<FastifyInstance['inject']>>, method = 'GET') {
  const { statusCode: status, statusMessage: statusText } = found
  const headers = new Headers()
  for (const [name, values] of Object.entries(found.headers))
    for (const value of [values ?? []].flat()) headers.append(name, String(value))
  const isEmpty = method.toUpperCase() === 'HEAD' || isWithoutContent(status)
  return new Response(isEmpty ? null : new Uint8Array(found.rawPayload), {
    status,
    statusText,
    headers,
  })
}
