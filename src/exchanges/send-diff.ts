import type { FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../config/is-object.ts'
import { badRequest } from '../http/errors/http-error.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import {
  jsonContent,
  objectSchema,
  pageContent,
  queryParameter,
  text,
} from '../http/openapi/content.ts'
import { keepPrivate } from '../http/response/default-headers.ts'
import { sendJson } from '../http/response/send.ts'
import type { Page } from '../site/page.ts'
import { sendPage } from '../site/send-page.ts'
import { renderDiffPage } from './diff-view.ts'
import { toDiff } from './diff.ts'
import { exampleId, type Exchange } from './exchange.ts'

const id = { ...text, minLength: 1 }
const diffLine = objectSchema({ kind: { enum: ['same', 'removed', 'added'] }, text })
const diffPart = {
  ...objectSchema({ name: text, lines: { type: 'array', items: diffLine }, note: text }),
  required: ['name', 'lines'],
}
const diffSample = [{ name: 'Status line', lines: [{ kind: 'same', text: 'HTTP/1.1 200 OK' }] }]

export const diffOperation = {
  summary: 'Compare two exchanges',
  description: 'A form can send both ids as `a`.',
  parameters: [
    { ...queryParameter('a', ['The id of an exchange.', exampleId, id]), required: true },
    { ...queryParameter('b', ['The id of another exchange.', exampleId, id]), required: true },
  ],
  content: {
    ...pageContent,
    ...jsonContent(objectSchema({ parts: { type: 'array', items: diffPart } }), {
      parts: diffSample,
    }),
  },
} as const

interface DiffOptions {
  load: (id: string) => Promise<Exchange>
  toUrl: (id: string) => string
  types?: readonly string[]
  back: NonNullable<Page['back']>
}

export async function sendDiff(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, toUrl, back, types = ['text/html', 'application/json'] }: DiffOptions,
): Promise<FastifyReply> {
  const type = chooseType(request, reply, types)
  const { a, b } = isObject(request.query) ? request.query : {}
  const [one, other, ...more] = [a, b]
    .flat()
    .filter((id): id is string => typeof id === 'string' && id !== '')
  if (one === undefined || other === undefined || more.length > 0)
    throw badRequest('Choose two requests to compare: the parameters a and b are their ids.')
  const [x, y] = [await load(one), await load(other)]
  // A form sends the ids in the order of its list.
  const isReversed = b === undefined && y.receivedAt < x.receivedAt
  const pair = isReversed ? ([y, x] as const) : ([x, y] as const)
  const parts = toDiff(...pair)
  keepPrivate(reply)
  return type === 'application/json'
    ? sendJson(reply, { parts })
    : sendPage(reply, { ...renderDiffPage(pair, parts, toUrl), back })
}
