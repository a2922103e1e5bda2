import type { Config } from '../config/config.ts'
import { serviceUnavailable } from '../http/errors/http-error.ts'
import { wait } from '../http/response/pacing.ts'
import { createJsonServer } from '../json-server/json-server.ts'
import { defineResource } from '../resources/definition.ts'
import { toRepresentation } from '../resources/record/representations.ts'
import { maxRenderedRecords } from '../config/limits.ts'
import { nameSchemas } from '../resources/openapi/schemas.ts'
import { toResourceDemo } from '../resources/routes.ts'
import { toFraction } from '../responses/to-fraction.ts'
import { laterStubsName, type Demo, type Services } from '../site/demo.ts'
import { createStubList, type Stub } from '../stubs/stub-list.ts'
import { toStubsDemo } from '../stubs/stubs-demo.ts'
import { createStubs, type Stubs } from '../stubs/stubs.ts'
import type { ResettableDemo } from '../test-api/reset-all.ts'
import { sandboxApi } from '../test-api/sandbox-api.ts'
import { testApi } from '../test-api/test-api.ts'
import { loadStubs } from './load-stubs.ts'
import { openData, type OpenedData } from './open-data.ts'

interface DataDemos extends Pick<OpenedData, 'definitions'> {
  stubs: Stubs
  notify?: (notice: string) => void
}

function combineDemos(
  config: Config,
  catalogue: readonly ResettableDemo[],
  { definitions: given, stubs, notify = () => undefined }: DataDemos,
) {
  const ofCatalogue = catalogue.flatMap(({ resource }) => resource ?? [])
  const definitions = nameSchemas(given, ofCatalogue)
  const names = definitions.map(({ name }) => name)
  const resources = definitions.map(defineResource)
  const own = config.jsonServer
    ? createJsonServer(config.jsonServer, definitions)
    : resources.map((resource) => toResourceDemo(resource, resources))
  const isTaken = (path: string) => names.includes(path.split(/[/.]/)[1] ?? '')
  // A demo stores its records in the collection that is named like it.
  const isOff = ({ name, uses = [], samples = [] }: Demo) =>
    [name, ...uses].some((each) => names.includes(each)) ||
    (samples.length > 0 && samples.every(({ path }) => isTaken(path)))
  const open = catalogue.filter(({ name }) => config.demos.includes(name))
  for (const { name } of open.filter(isOff)) notify(`${name} is off`)
  const kept = open.filter((demo) => !isOff(demo))
  const others = kept.map((demo) => withoutPaths(demo, isTaken, notify))
  const reset = config.testApi ? [testApi(catalogue, { definitions, stubs })] : []
  const free = own.map((demo) => withoutPaths(demo, isOfService, notify))
  const delayed = free.map((demo) => withTrouble(demo, config))
  const demos = [...delayed, ...others, ...reset]
  return { demos, config: { ...config, demos: demos.map(({ name }) => name) } }
}

/** A resource with the name `openapi` would have this path for its JSON. */
const isOfService = (path: string) => path === '/openapi.json'

/** The demos of the catalogue, without a data file. */
function addTestApi(config: Config, catalogue: readonly ResettableDemo[], stubs: Stubs) {
  const definitions = catalogue.flatMap(({ resource }) => resource ?? [])
  const reset = config.testApi ? [testApi(catalogue, { definitions, stubs })] : []
  const names = [...config.demos, ...reset.map(({ name }) => name)]
  return { config: { ...config, demos: names }, demos: [...catalogue, ...reset] }
}

/** All that the settings name: the demos, the resources of the data file, and the stubs. */
export async function openDemos(
  config: Config,
  catalogue: readonly ResettableDemo[],
  {
    services,
    notify,
    canChangeStubs = config.testApi,
  }: Pick<DataDemos, 'notify'> & {
    services: Pick<Services, 'records' | 'states'>
    canChangeStubs?: boolean
  },
) {
  const ofFile = await loadStubs(config)
  const isData = config.dataFile !== undefined
  const opened = isData
    ? await openData(config, services)
    : { definitions: [], responses: [], notices: [] }
  const { definitions, notices } = opened
  const toAll = (stubs: readonly Stub[]) => createStubList([...stubs, ...opened.responses])
  const loadData = createDataLoader(definitions, services.records)
  const stubs = createStubs(toAll(ofFile), config, loadData)
  const all = { definitions, stubs, ...(notify && { notify }) }
  const served = isData
    ? combineDemos(config, catalogue, all)
    : addTestApi(config, catalogue, stubs)
  return {
    ...withStubs(withSandboxes(served, stubs), stubs, canChangeStubs),
    definitions,
    notices,
    reloadStubs: async () => {
      const next = await loadStubs(config)
      stubs.list = toAll(next)
      return next.length
    },
    stubs,
  }
}

/** The first records of a resource, as its URL shows them. */
function createDataLoader(definitions: OpenedData['definitions'], records: Services['records']) {
  const resources = new Map(definitions.map((each) => [each.name, defineResource(each)]))
  return async (name: string): Promise<unknown> => {
    const resource = resources.get(name)
    if (!resource) return undefined
    const part = { offset: 0, limit: maxRenderedRecords }
    const found = await records.collection(name).list({ filters: [], sort: [] }, part)
    const shown = found.map((record) => toRepresentation(resource, record))
    return resource.isSingular ? shown[0] : shown
  }
}

function withSandboxes(
  { config, demos }: { config: Config; demos: readonly ResettableDemo[] },
  stubs: Stubs,
) {
  if (config.sandboxes === 'off') return { config, demos }
  const open = demos.filter(({ name }) => config.demos.includes(name))
  const resources = open.flatMap(({ resource }) => resource ?? [])
  const added = sandboxApi(resources, stubs.changes.reset)
  return {
    config: { ...config, demos: [...config.demos, added.name] },
    demos: [...demos, added],
  }
}

function withStubs(
  served: ReturnType<typeof withSandboxes>,
  stubs: Stubs,
  canChangeStubs: boolean,
) {
  const { demos, config } = served
  const hasStubs = stubs.list.stubs.length > 0 || config.responsesFile !== undefined
  if (!hasStubs && !canChangeStubs) return served
  const listed = toStubsDemo(stubs)
  const demo = hasStubs ? listed : { ...listed, name: laterStubsName, isUnlisted: true }
  const names = [...config.demos, demo.name]
  return { demos: [...demos, demo], config: { ...config, demos: names } }
}

/** DELAY_MS and ERROR_RATE, before anything is stored. */
function withTrouble(demo: Demo, { delayMs, errorRate }: Config): Demo {
  if (!delayMs && errorRate === 0) return demo
  const { least, most } = delayMs ?? { least: 0, most: 0 }
  let count = 0
  return {
    ...demo,
    routes: async (services, app) => {
      const routes = await demo.routes(services, app)
      return routes.map((route) => ({
        ...route,
        async handler(request, reply) {
          const pause = least + Math.random() * (most - least)
          if (pause > 0 && !(await wait(reply, pause))) return reply.hijack()
          // The same requests fail at each start.
          const isFailed = toFraction(`${demo.name} ${String((count += 1))}`) < errorRate
          if (isFailed) throw serviceUnavailable('The request failed on purpose (ERROR_RATE).')
          return route.handler.call(this, request, reply)
        },
      }))
    },
  }
}

function withoutPaths(
  demo: Demo,
  isTaken: (path: string) => boolean,
  notify: (notice: string) => void,
): Demo {
  const { samples = [], page, routes, ...others } = demo
  return {
    ...others,
    samples: samples.filter(({ path }) => !isTaken(path)),
    ...(page !== undefined && !isTaken(page) && { page }),
    routes: async (services, app) => {
      const all = await routes(services, app)
      const taken = new Set(all.map(({ url }) => url).filter(isTaken))
      if (taken.size > 0) notify(`${demo.name} has no ${[...taken].join(' and no ')}`)
      return all.filter(({ url }) => !isTaken(url))
    },
  }
}
