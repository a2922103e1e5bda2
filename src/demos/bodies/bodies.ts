import type { FastifyRequest } from 'fastify'
import { toMediaType } from '../../http/body/body-reader.ts'
import { registerMultipart } from '../../http/body/multipart.ts'
import {
  fieldsContent,
  jsonContent,
  pathParameter,
  textContent,
} from '../../http/openapi/content.ts'
import type { Content } from '../../http/openapi/operation.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/path-parameter.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'
import { parseTextFields } from './text-fields.ts'

const text = { type: 'string' }
const fields = { colour: 'green' }
const json = { defaultType: 'json' } as const

/** Bodies of each kind, returned as JSON (seed, "body-type endpoints under /users"). */
export const bodies: Demo = {
  name: 'bodies',
  title: 'Bodies',
  summary: 'Form, JSON, multipart and text bodies, returned as JSON.',
  links: [],
  tryOut: {
    method: 'POST',
    path: '/users/post',
    fields: { 'glass[colour]': 'green', name: 'Ann' },
  },
  routes: async ({ config }, app) => {
    const readsMultipart = config.bodyReaders.includes('multipart')
    if (readsMultipart) await registerMultipart(app)
    const posts: Route[] = [
      {
        method: 'POST',
        url: '/users/post',
        summary: 'Return a form or JSON as JSON',
        requestBody: { content: fieldsContent({ description: 'Any value.' }, fields) },
        responses: {
          200: {
            description: 'The body. Without one, an empty object.',
            content: jsonContent({}, fields),
          },
        },
        config: json,
        handler: (request, reply) => {
          // The JSON text `null` is a body.
          const isAbsent = request.body === undefined || hasText(request)
          return sendJson(reply, isAbsent ? {} : request.body)
        },
      },
      {
        method: 'POST',
        url: '/users/post/formdata',
        summary: 'Return the text fields of a multipart form as JSON',
        requestBody: { content: multipartContent },
        responses: {
          200: {
            description: 'The text fields. Repeated fields become a list.',
            content: jsonContent(
              {
                type: 'object',
                additionalProperties: { anyOf: [text, { type: 'array', items: text }] },
              },
              fields,
            ),
          },
        },
        config: { ...json, readsBodyItself: true },
        handler: async (request, reply) =>
          sendJson(reply, readsMultipart ? await parseTextFields(request, config) : {}),
      },
      {
        method: 'POST',
        url: '/users/post/raw',
        summary: 'Return a text as a JSON string',
        requestBody: { content: textContent('plain words') },
        example: 'plain words',
        config: json,
        handler: (request, reply) => sendJson(reply, hasText(request) ? request.body : ''),
      },
    ]
    // The demo of the users has these paths, with its own responses.
    return config.demos.includes('users') ? posts : [...posts, ...textRoutes]
  },
}

const multipartContent: Content = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: {
        pic: {
          contentMediaType: 'application/octet-stream',
          description: 'A file. It is read and discarded.',
        },
      },
      additionalProperties: true,
    },
    example: fields,
  },
}

const textRoutes: readonly Route[] = [
  {
    method: 'GET',
    url: '/users',
    summary: 'Return a text about the users',
    example: 'These are the users\n',
    handler: (_, reply) => sendText(reply, 'These are the users\n'),
  },
  {
    method: 'GET',
    url: '/users/:id',
    summary: 'Return a text about one user',
    parameters: [pathParameter('id', 'Any text.', '42')],
    example: 'This is user 42\n',
    handler: (request, reply) =>
      sendText(reply, `This is user ${toPathParameter(request, 'id')}\n`),
  },
]

/** Whether the body is text that the text reader has read. */
function hasText({ headers, body }: FastifyRequest): boolean {
  return toMediaType(headers['content-type']).startsWith('text/') && body !== undefined
}
