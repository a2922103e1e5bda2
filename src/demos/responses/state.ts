import type { FastifyRequest } from 'fastify'
import { badRequest } from '../../http/errors/http-error.ts'
import { exampleContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendDescribed } from '../../responses/send.ts'
import type { Services } from '../../site/demo.ts'
import { idSchema } from '../../stores/records/records.ts'
import type { State } from '../../stores/states/states.ts'
import { cookiePath } from './endpoint.ts'

const isKey = (text: string) => new RegExp(idSchema.pattern).test(text)

export const keyParameter = {
  name: 'key',
  in: 'path',
  required: true,
  description: 'The name of the state. All clients that use it share the state.',
  schema: idSchema,
  example: 'my-test',
} as const

/** Throws 400. */
export function parseKey(request: FastifyRequest): string {
  const key = toPathParameter(request, 'key')
  if (isKey(key)) return key
  throw badRequest('key must have 1 to 64 letters, digits, hyphens and underscores.')
}

const expiresAtSchema = { type: ['string', 'null'], format: 'date-time' }

interface StateOptions {
  /** The name of the endpoint, which is the first part of the keys of its states. */
  name: string
  file: string
  toShown: (state: State) => Readonly<Record<string, unknown>>
}

/** `/responses/<name>/<key>/state`: GET reads, DELETE resets. */
export function toStateRoutes(
  { config, states }: Services,
  { name, file, toShown }: StateOptions,
): readonly Route[] {
  const route = { url: `/responses/${name}/:key/state`, file, parameters: [keyParameter] }
  const options = { config, cookiePath }
  const toJson = (key: string, state: State, expiresAt?: string) => ({
    key,
    ...toShown(state),
    expires_at: expiresAt ?? null,
  })
  return [
    {
      ...route,
      method: 'GET',
      summary: `Read the state of a ${name}`,
      store: 'reads',
      responses: {
        200: {
          description: 'The state, or that of a new key.',
          content: exampleContent(toJson('my-test', {}), true, { expires_at: expiresAtSchema }),
        },
      },
      handler: async (request, reply) => {
        const key = parseKey(request)
        const { state = {}, expiresAt } = (await states.find(`${name}/${key}`)) ?? {}
        const headers = { 'Cache-Control': 'no-store' }
        return sendDescribed(reply, { headers, json: toJson(key, state, expiresAt) }, options)
      },
    },
    {
      ...route,
      method: 'DELETE',
      summary: `Reset the state of a ${name}`,
      store: 'writes',
      responses: { 204: { description: 'The next request is the first one.' } },
      handler: async (request, reply) => {
        await states.remove(`${name}/${parseKey(request)}`)
        return sendDescribed(reply, { status: 204 }, options)
      },
    },
  ]
}
