import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../config/is-object.ts'
import { maxStubs } from '../config/limits.ts'
import { maxShownProblems } from '../data-file/parse-data.ts'
import { parseDataText } from '../data-file/parse-data-text.ts'
import { UnreadableData } from '../data-file/read-data-file.ts'
import { isForm } from '../http/body/body-reader.ts'
import {
  badRequest,
  HttpError,
  notFound,
  unprocessable,
  type FieldProblem,
} from '../http/errors/http-error.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import {
  jsonContent,
  objectSchema,
  pageContent,
  queryParameter,
  text,
} from '../http/openapi/content.ts'
import { responseHeaders } from '../http/openapi/fields.ts'
import type { Content } from '../http/openapi/operation.ts'
import type { Route } from '../http/openapi/route.ts'
import { keepPrivate } from '../http/response/default-headers.ts'
import { sendJson } from '../http/response/send.ts'
import { hashOwner } from '../inspector/recorder/owner.ts'
import { findReceived } from '../inspector/recorder/received-requests.ts'
import type { Services } from '../site/demo.ts'
import { sendPage } from '../site/send-page.ts'
import { parseStubs } from '../stubs/parse-stubs.ts'
import type { Stub } from '../stubs/stub-list.ts'
import { rewindSequences } from '../stubs/stubs-demo.ts'
import type { Stubs } from '../stubs/stubs.ts'
import { renderStubsPage } from './stub-views.ts'

export const stubsPath = '/_vitrine/responses'
const example = { 'GET /users/:id': { when: { 'path.id': '7' }, json: { id: 7, name: 'Ann' } } }
const schema = { type: 'object' }
const json = jsonContent(schema, example)
const yaml: Content = { 'text/yaml': { schema: { type: 'string' } } }
const body: Content = { ...json, ...yaml }
const formType = 'application/x-www-form-urlencoded'
const form: Content = { [formType]: { schema: objectSchema({ responses: text }) } }
const types = ['application/json', 'text/html'] as const
const config = { defaultType: 'json', accepts: ['application/json', 'text/yaml'] } as const
const shared = { file: 'src/test-api/stub-routes.ts', url: stubsPath, config } as const
const changed = { 204: { description: 'Changed.' } }
const responses = {
  ...changed,
  303: { description: 'Changed, for a form.', headers: responseHeaders('Location') },
}

/** The stubs of the sandbox of the request, or those that requests without one get. */
export function toStubRoutes(
  services: Services,
  stubs: Stubs,
  { exchangeLog }: FastifyInstance,
): readonly Route[] {
  const change = async (apply: () => void) => {
    const before = stubs.findList().stubs
    apply()
    const changed = new Set(before).symmetricDifference(new Set(stubs.findList().stubs))
    await rewindSequences([...changed], services.states)
  }
  const send: SendStubs = async (request, reply, draft) => {
    const { stubs: all } = stubs.findList()
    const found = await findReceived(exchangeLog, {}, hashOwner(request))
    const requests = found.toReversed().map(({ maskedTarget: target, rare, id, method }) => {
      return { ...rare, id, method, target }
    })
    keepPrivate(reply)
    const shown = draft ?? { text: await toYaml(stubsToJson(all)) }
    return sendPage(reply, renderStubsPage({ stubs: all, requests, ...shown }))
  }
  return [
    getStubs(stubs, send),
    putStubs(services, stubs, change, send),
    postStubs(services, stubs, change),
    deleteStubs(stubs, change),
  ]
}

type SendStubs = (
  request: FastifyRequest,
  reply: FastifyReply,
  draft?: { text: string; problem: string },
) => Promise<FastifyReply>

async function toYaml(value: object): Promise<string> {
  const { default: library } = await import('yaml')
  return Object.keys(value).length === 0 ? '' : library.stringify(value)
}

const sendDone = (request: FastifyRequest, reply: FastifyReply) =>
  chooseType(request, reply, types) === 'text/html'
    ? reply.redirect(stubsPath, 303)
    : reply.code(204).send()

type Change = (apply: () => void) => Promise<void>

const getStubs = (stubs: Stubs, send: SendStubs): Route => ({
  ...shared,
  method: 'GET',
  summary: 'Get the stubs',
  content: { ...json, ...pageContent },
  errors: [406],
  handler: (request, reply) =>
    chooseType(request, reply, types) === 'text/html'
      ? send(request, reply)
      : sendJson(reply, stubsToJson(stubs.findList().stubs)),
})

/** The first one with a name is the one that responds. */
function stubsToJson(stubs: readonly Stub[]) {
  const byName = new Map(stubs.toReversed().map(({ name, given }) => [name, given]))
  return Object.fromEntries([...byName].toReversed())
}

const putStubs = (
  { config: settings }: Services,
  { changes }: Stubs,
  change: Change,
  send: SendStubs,
): Route => ({
  ...shared,
  method: 'PUT',
  summary: 'Replace all stubs, also those of the file',
  requestBody: { required: true, content: { ...body, ...form } },
  responses,
  errors: [406, 422],
  store: 'writes',
  handler: async (request, reply) => {
    const type = chooseType(request, reply, types)
    try {
      const given = await parseBody(request, settings)
      await change(() => {
        changes.replace(given)
      })
    } catch (error) {
      const isEdit = error instanceof HttpError && error.status === 422 && isForm(request.raw)
      if (!isEdit || type !== 'text/html') throw error
      reply.code(422)
      return send(request, reply, { text: toText(request.body), problem: error.message })
    }
    return sendDone(request, reply)
  },
})

const toText = (given: unknown) => (isObject(given) ? String(given.responses) : '')

const postStubs = (
  { config: settings }: Services,
  { changes, findList }: Stubs,
  change: Change,
): Route => ({
  ...shared,
  method: 'POST',
  summary: 'Add stubs before the others, or replace those with the same names',
  requestBody: { required: true, content: body },
  responses: changed,
  errors: [422],
  store: 'writes',
  handler: async (request, reply) => {
    const given = await parseBody(request, settings)
    if (given.length + findList().stubs.length > maxStubs)
      throw new HttpError('unprocessable-content', `There are at most ${String(maxStubs)} stubs.`)
    await change(() => {
      changes.add(given)
    })
    return reply.code(204).send()
  },
})

const deleteStubs = ({ changes, findList }: Stubs, change: Change): Route => ({
  ...shared,
  method: 'DELETE',
  summary: 'Return to the stubs of the file, or remove one stub',
  parameters: [queryParameter('stub', ['The name of the stub to remove.', 'GET /users/:id'])],
  responses,
  errors: [404, 406],
  store: 'writes',
  handler: async (request, reply) => {
    const { stub } = isObject(request.query) ? request.query : {}
    if (stub !== undefined && typeof stub !== 'string')
      throw badRequest('The parameter stub must be one name.')
    if (stub !== undefined && !findList().stubs.some(({ name }) => name === stub))
      throw notFound(`There is no stub ${stub}.`)
    await change(() => {
      if (stub === undefined) changes.reset()
      else changes.remove(stub)
    })
    return sendDone(request, reply)
  },
})

async function parseBody(request: FastifyRequest, settings: Services['config']) {
  const { body: given, raw } = request
  const content = isForm(raw) && isObject(given) ? (given.responses ?? '') : given
  const isText = typeof content === 'string'
  const value = isText ? ((await parseText(content, settings)) ?? {}) : content
  const problems: FieldProblem[] = []
  const stubs = parseStubs(value, settings, (message, _, [field = 'The body', ...inside] = []) => {
    problems.push({ field, inside, message })
  })
  if (problems.length === 0) return stubs
  throw unprocessable(problems.slice(0, maxShownProblems))
}

/** JSON is YAML too. */
async function parseText(given: string, { maxJsonDepth }: Services['config']): Promise<unknown> {
  try {
    return await parseDataText({ source: 'The text', text: given, isYaml: true }, maxJsonDepth)
  } catch (error) {
    if (!(error instanceof UnreadableData)) throw error
    throw new HttpError('unprocessable-content', `${error.message}.`, { cause: error })
  }
}
