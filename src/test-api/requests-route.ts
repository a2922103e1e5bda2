import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../config/is-object.ts'
import { maxExchanges, maxExportedExchanges, maxWaitSeconds } from '../config/limits.ts'
import { createStreamCount } from '../events/stream-count.ts'
import { conflict } from '../http/errors/http-error.ts'
import { jsonContent, queryParameter } from '../http/openapi/content.ts'
import type { Route } from '../http/openapi/route.ts'
import { keepPrivate } from '../http/response/default-headers.ts'
import { sendChunks, toJsonArray } from '../http/response/send.ts'
import { takeTurn } from '../http/turns.ts'
import { filterParameters, listFields } from '../inspector/documentation.ts'
import { parseExchangeFilter } from '../inspector/pages/list-parameters.ts'
import { hashOwner } from '../inspector/recorder/owner.ts'
import { findReceived, toRequest } from '../inspector/recorder/received-requests.ts'
import { badParameter, parseTexts, withParameterErrors } from '../lists/parameters.ts'
import { parseCount, parsePart } from '../lists/part.ts'
import { performance } from '../timers.ts'

const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })
const parameters = [
  ...filterParameters,
  queryParameter('stub', ['The name of the stub that responded.', 'GET /users/:id']),
  queryParameter('unmatched', [
    'Only those with 404, to which no stub responded.',
    'true',
    { enum: ['true', 'false'] },
  ]),
  queryParameter('count', ['With `wait`: how many must match.', 1, whole(1, maxExchanges)]),
  queryParameter('wait', ['Seconds to wait for them.', 1, whole(0, maxWaitSeconds)]),
  queryParameter('page', ['The number of the page.', 1, whole(1, maxExchanges)]),
  queryParameter('per_page', ['The requests on a page.', 20, whole(1, maxExportedExchanges)]),
]
const turnKey = 'received requests'
const schema = { type: 'array', items: { type: 'object' } }
const example = [
  {
    id: '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e',
    method: 'POST',
    target: '/orders',
    requestFields: [['Content-Type', 'application/json']],
    requestBody: { size: 14, isCut: false, text: '{"quantity":3}' },
    status: 404,
    nearest: {
      stub: 'POST /orders',
      differences: [{ name: 'json.quantity:gt', expected: 10, actual: 3 }],
    },
  },
]

/** Tests read what the service has received, and wait for it. */
export function getRequests(app: FastifyInstance): Route {
  const { exchangeLog } = app
  const open = createStreamCount(app)
  return {
    file: 'src/test-api/requests-route.ts',
    method: 'GET',
    url: '/_vitrine/requests',
    summary: 'List the requests that were received, and wait for them',
    description:
      'The oldest first, without those below `/_vitrine`. Only cookies and secrets of this service are hidden. Filters are those of `GET /inspector`.',
    parameters,
    content: jsonContent(schema, example),
    errors: [400, 409, 503],
    config: { defaultType: 'json', isUnrecorded: true },
    handler: async (request, reply) => {
      if (exchangeLog.mode === 'off')
        throw conflict('No request is recorded, because of INSPECTOR=off.')
      const { filter, part, count, waitSeconds } = parseQuery(request)
      const viewer = hashOwner(request)
      // Each request makes all that wait search again: others are handled between two searches.
      const find = () => takeTurn(turnKey, () => findReceived(exchangeLog, filter, viewer))
      const wait = { find, count, waitSeconds, open: () => open(request, reply, exchangeLog.watch) }
      return sendRequests(reply, await waitFor(wait), part)
    },
  }
}

type Found = Awaited<ReturnType<typeof findReceived>>

function sendRequests(
  reply: FastifyReply,
  found: Found,
  { offset, limit }: { offset: number; limit: number },
) {
  keepPrivate(reply)
  reply.header('x-total-count', String(found.length))
  const pages = toPages(found.slice(offset, offset + limit))
  return sendChunks(
    reply,
    'application/json',
    toJsonArray(pages, (one) => one),
  )
}

/** Bodies are decoded one after another. */
async function* toPages(found: Found) {
  for (const recorded of found) yield [await toRequest(recorded)]
}

interface Waiting {
  find: () => Promise<Found>
  count: number
  waitSeconds: number
  open: () => ReturnType<ReturnType<typeof createStreamCount>>
}

/** The log is searched once for all exchanges that ended during the search before. */
async function waitFor({ find, count, waitSeconds, open }: Waiting): Promise<Found> {
  if (waitSeconds === 0) return find()
  const endsAt = performance.now() + waitSeconds * 1000
  const alarm = open()
  for (;;) {
    const found = await find()
    const rest = endsAt - performance.now()
    if (found.length >= count || rest <= 0 || alarm.isStopped()) return found
    await alarm.hasRung(rest)
  }
}

const ownNames = parameters.map(({ name }) => name)

function parseQuery(request: FastifyRequest) {
  const query = isObject(request.query) ? request.query : {}
  return withParameterErrors(request, () => {
    const isKnown = (name: string) =>
      ownNames.includes(name) || name.includes(':') || listFields.find(name) !== undefined
    const unknown = Object.keys(query).find((name) => !isKnown(name))
    if (unknown !== undefined) throw badParameter(unknown, 'is not a filter of requests')
    const texts = Object.fromEntries(
      ['count', 'wait', 'page', 'per_page', 'unmatched'].flatMap((name) =>
        query[name] === undefined ? [] : [[name, parseTexts(name, query[name])] as const],
      ),
    )
    const unmatched = texts.unmatched?.join() ?? 'false'
    if (!/^(true|false)$/.test(unmatched)) throw badParameter('unmatched', 'must be true or false')
    const isUnmatched = unmatched === 'true'
    return {
      filter: { ...parseExchangeFilter(request), isUnmatched },
      count: parseCount(texts, 'count', { max: maxExchanges }) ?? 1,
      waitSeconds: parseCount(texts, 'wait', { min: 0, max: maxWaitSeconds }) ?? 0,
      part: parsePart(texts) ?? { offset: 0, limit: maxExportedExchanges },
    }
  })
}
