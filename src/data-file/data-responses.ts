import type { FastifyReply } from 'fastify'
import { isObject } from '../config/is-object.ts'
import { readOnly } from '../http/errors/http-error.ts'
import { pathParameter } from '../http/openapi/content.ts'
import type { Route } from '../http/openapi/route.ts'
import type { DescriptionLimits } from '../responses/description-limits.ts'
import type { Description, Sequence } from '../responses/description.ts'
import { checkDescribed } from '../responses/parse-description.ts'
import { sendDescribed } from '../responses/send.ts'
import { takeStep } from '../responses/sequences.ts'
import { routableId } from '../resources/context.ts'
import type { Demo, Services } from '../site/demo.ts'
import type { States } from '../stores/states/states.ts'
import { findNameProblem } from './define-data.ts'
import type { Report } from './parse-schema.ts'

export interface DataResponse {
  method: string
  /** `/orders/:id/pay` */
  url: string
  described: Description | Sequence
}

/** The limit is that of the resources of a data file, since each response is a route too. */
const maxResponses = 200
const form = /^(GET|POST|PUT|PATCH|DELETE) ((?:\/:?[\w~-][\w.~-]*)+)$/

interface ResponseOptions {
  names: readonly string[]
  limits: DescriptionLimits
  report: Report
}

export function parseResponses(
  value: unknown = {},
  { names, limits, report }: ResponseOptions,
): DataResponse[] {
  const fail = (reason: string, at = '') => {
    report(`/$responses${at}`, reason)
    return []
  }
  if (!isObject(value)) return fail('must be an object like {"GET /slow": {"delay": 2}}')
  const entries = Object.entries(value)
  if (entries.length > maxResponses) return fail(`has more than ${String(maxResponses)} members`)
  const known = new Set<string>()
  return entries.flatMap(([key, given]): DataResponse[] => {
    const at = `/"${key.slice(0, 100)}"`
    const [, method, url] = form.exec(key) ?? []
    if (method === undefined || url === undefined)
      return fail(
        'must be GET, POST, PUT, PATCH or DELETE and a path, like "POST /orders/:id/pay"',
        at,
      )
    const reason = findPathProblem(url, names)
    if (reason !== undefined) return fail(reason, at)
    const route = `${method} ${url.replaceAll(/:[^/]+/g, ':')}`
    if (known.has(route)) return fail('has the path of another response', at)
    known.add(route)
    const checked = checkDescribed(given, limits)
    if ('value' in checked) return [{ method, url, described: checked.value }]
    for (const { field, inside = [], message } of checked.problems)
      fail(message, [at, ...(field ? [field, ...inside] : [])].join('/'))
    return []
  })
}

function findPathProblem(url: string, names: readonly string[]): string | undefined {
  const [, first = '', , end = '', ...others] = url.split('/')
  // The suffix of a type and the name of a parameter are not compared.
  const isOfResource = ['', 'edit', ...names].includes(end.replace(/[.:].*/, ''))
  if (names.includes(first) && isOfResource && others.length === 0)
    return `is a path of the resource ${first}: only others can be added, such as /${first}/:id/pay`
  if (first.startsWith(':')) return 'must not begin with a parameter'
  const parameters = url.match(/:[^/]+/g) ?? []
  if (new Set(parameters).size < parameters.length) return 'has a parameter twice'
  return findNameProblem(first)
}

export const toFirstSegment = (url: string) => url.split('/')[1] ?? ''

export function toResponsesDemo(
  responses: readonly DataResponse[],
  names: readonly string[],
): Demo {
  const links = responses.filter(({ method, url }) => method === 'GET' && !url.includes(':'))
  return {
    name: 'described',
    title: 'Described responses',
    summary: 'The responses that the data file describes.',
    group: 'Requests and responses',
    samples: links.map(({ url }) => ({ title: url, method: 'GET', path: url })),
    routes: (services) =>
      responses.map((response) => {
        const { url, ...route } = toRoute(response, services)
        // The router tries the pattern of a record before a parameter without one.
        const id = names.includes(toFirstSegment(url)) ? `(${routableId.source})` : ''
        return { ...route, url: url.replace(/^\/[^/]+\/:[^/]+/, (path) => path + id) }
      }),
  }
}

const toSequenceKey = ({ method, url }: DataResponse) => `data/${method} ${url}`

export async function rewindSequences(responses: readonly DataResponse[], states: States) {
  await Promise.all(responses.map(async (each) => states.remove(toSequenceKey(each))))
}

function toRoute(response: DataResponse, { config, states }: Services): Route {
  const { method, url, described } = response
  const isSequence = 'sequence' in described
  const send = (reply: FastifyReply, description: Description) =>
    sendDescribed(reply, description, { config, cookiePath: '/' })
  const steps = isSequence ? described.sequence : [described]
  const documented = steps.map(({ status = 200 }): [string, { description: string }] => [
    String(status),
    { description: 'The response that the data file describes.' },
  ])
  return {
    method,
    url,
    file: 'src/data-file/data-responses.ts',
    summary: 'Respond as the data file describes',
    parameters: [...url.matchAll(/:([^/]+)/g)].map(([, name = '']) =>
      pathParameter(name, 'Any text.', '1'),
    ),
    responses: Object.fromEntries(documented),
    ...(isSequence && { store: 'writes', errors: [403] }),
    // The response depends neither on the body nor on conditions.
    config: { readsBodyItself: true, ignoresConditions: true, keepsMethod: true },
    handler: async ({ raw }, reply) => {
      if (!isSequence) return send(reply, described)
      // Any method stores the number of the step.
      if (config.readOnly) throw readOnly()
      const key = toSequenceKey(response)
      const { step = {} } = await takeStep(raw, states, { key, steps: described.sequence })
      return send(reply, step)
    },
  }
}
