import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { findNearest } from '../config/find-nearest.ts'
import { hasBody } from '../http/body/body-reader.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { recordExtras, type NearestStub } from '../http/recording.ts'
import { withoutPatterns, type Route } from '../http/openapi/route.ts'
import { routeTo, type Interceptor } from '../http/request/interceptor.ts'
import { toPath } from '../http/request/target.ts'
import { isPreflight } from '../http/security/origins.ts'
import { chooseAlternative, dependsOnBody } from '../responses/alternatives.ts'
import { explainDifference } from '../responses/conditions.ts'
import { readEarly, toRequestValues, type RequestValues } from '../responses/request-values.ts'
import { createRunTimeStubs } from './run-time-stubs.ts'
import { toStubPath, type Candidate, type Stub, type StubList } from './stub-list.ts'

export interface StubMatch {
  stub: Stub
  /** From 0. */
  index: number
  groups: Candidate['groups']
}

declare module 'node:http' {
  interface IncomingMessage {
    stub?: StubMatch | { error: unknown }
    /** Why no alternative of the stubs with this method and path has matched. */
    nearestStub?: NearestStub
  }
}

/** The name of the demo of the stubs, which is the tag of their documentation. */
export const stubsTag = 'described'

/** Its last segment is a wildcard, so that it has no part in the methods of a path. */
export const stubRoute = '/_vitrine/stub/*'

/** The stubs of a service. A list is replaced as a whole, so that each request sees one version. */
export interface Stubs extends Interceptor {
  /** Those of the file. */
  list: StubList
  /** Those that requests of this sandbox get, after the changes at run time. */
  findList: () => StubList
  changes: ReturnType<typeof createRunTimeStubs>
  /** The records of a resource, for templates. */
  loadData: ((name: string) => Promise<unknown>) | undefined
  /** The routes that a stub comes before, for a person. */
  findHidden: (
    routes: readonly Pick<Route, 'method' | 'url' | 'isOfWildcard' | 'tag'>[],
  ) => string[]
}

export function createStubs(list: StubList, config: Config, loadData?: Stubs['loadData']): Stubs {
  const changes = createRunTimeStubs()
  const findList = () => changes.find(stubs.list)
  const stubs: Stubs = {
    list,
    findList,
    changes,
    loadData,
    intercept: (raw, { route, next, isDecided }) => {
      const settle = (found: IncomingMessage['stub']) => {
        if (found === undefined) next()
        else routeTo(Object.assign(raw, { stub: found }), stubRoute, route)
      }
      try {
        const candidates = findCandidates(raw, findList())
        if (candidates.length === 0) next()
        else if (hasBody(raw) && candidates.some(({ stub }) => dependsOnBody(stub.alternatives)))
          void chooseWithBody(raw, candidates, { config, isDecided }).then(settle)
        else settle(choose(raw, candidates, config))
      } catch (error) {
        settle({ error })
      }
    },
    findMethods: (path) => {
      const methods = findList()
        .findOfPath(toStubPath(path))
        .map(({ method }) => method)
      return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    },
    explain: (error, raw) => explainMissing(error, raw, findList()),
    findHidden: (routes) =>
      routes.flatMap(({ method, url, tag }) => {
        const path = toStubPath(withoutPatterns(url).replaceAll(/:\w+/g, '1'))
        const methods = tag === stubsTag ? [] : [method].flat().filter((name) => name !== 'HEAD')
        const hidden = methods.filter((name) => stubs.list.find(name, path).length > 0)
        return hidden.map((name) => `${name} ${withoutPatterns(url)}`)
      }),
  }
  return stubs
}

function findCandidates(raw: IncomingMessage, list: StubList): readonly Candidate[] {
  if (list.stubs.length === 0) return []
  const { receivedMethod, method = '', target, url = '' } = raw
  const path = toStubPath(toPath(target?.url ?? url))
  const candidates = list.find(receivedMethod ?? method, path)
  // A stub for every method does not take the permission of a browser for the others.
  return isPreflight(raw) ? candidates.filter(({ stub }) => stub.method === 'OPTIONS') : candidates
}

async function chooseWithBody(
  raw: IncomingMessage,
  candidates: readonly Candidate[],
  {
    config,
    isDecided,
  }: { config: Config } & Pick<Parameters<Interceptor['intercept']>[1], 'isDecided'>,
): Promise<IncomingMessage['stub']> {
  try {
    if (await isDecided(raw)) return undefined
    return choose(raw, candidates, config, await readEarly(raw, config))
  } catch (error) {
    return { error }
  }
}

function choose(
  raw: IncomingMessage,
  candidates: readonly Candidate[],
  config: Config,
  bytes?: Buffer,
): StubMatch | undefined {
  for (const { stub, groups } of candidates) {
    const values = toStubValues(raw, groups, config, bytes)
    const chosen = chooseAlternative(stub.alternatives, values, stub.draws)
    if (chosen.index !== undefined) {
      recordExtras(raw, { stub: stub.name, alternative: chosen.index + 1 })
      return { stub, groups, index: chosen.index }
    }
    const { nearestStub: known } = raw
    if (!known || chosen.differences.length < known.differences.length)
      raw.nearestStub = { stub: stub.name, differences: chosen.differences }
  }
  return undefined
}

export function toStubValues(
  raw: IncomingMessage,
  groups: Candidate['groups'],
  config: Config,
  bytes?: Buffer,
): RequestValues {
  const path = toStubPath(toPath(raw.target?.url ?? ''))
  return toRequestValues({ raw, path, groups, bytes }, config)
}

/** To count the edits of a long name takes long. */
const maxComparedLength = 200

function explainMissing(error: HttpError, raw: IncomingMessage, list: StubList): HttpError {
  const nearest = raw.stub ? undefined : (raw.nearestStub ?? findNearestStub(raw, list))
  if (nearest === undefined) return error
  const reasons = nearest.differences.map(explainDifference).join('; ')
  const needs = reasons === '' ? '' : ` It needs: ${reasons}.`
  const detail = `${error.message} The nearest stub is ${nearest.stub}.${needs}`
  const { headers, isJson, back, cause } = error
  const members = { ...error.members, nearest }
  recordExtras(raw, { nearest })
  return new HttpError('not-found', detail, { headers, isJson, back, cause, members })
}

/** One with this path and another method, or else one with a similar name. */
function findNearestStub(raw: IncomingMessage, list: StubList): NearestStub | undefined {
  const { receivedMethod, method: routed = '', target, url = '' } = raw
  const method = receivedMethod ?? routed
  const path = toStubPath(toPath(target?.url ?? url))
  const [ofPath] = list.findOfPath(path).filter((one) => ![method, '*'].includes(one.method))
  if (ofPath) {
    const differences = [{ name: 'method', expected: ofPath.method, actual: method }]
    return { stub: ofPath.name, differences }
  }
  const key = `${method} ${path}`
  const names = key.length > maxComparedLength ? [] : list.stubs.map((stub) => stub.name)
  const stub = findNearest(key, names)
  return stub === undefined ? undefined : { stub, differences: [] }
}
