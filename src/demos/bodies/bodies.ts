import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { maxFormFiles } from '../../config/limits.ts'
import { toMediaType } from '../../http/body/body-reader.ts'
import { readForm, type FormPart } from '../../http/body/multipart.ts'
import { discard } from '../../http/body/read-parts.ts'
import {
  fieldNames,
  fieldsContent,
  jsonContent,
  pathParameter,
  text,
  textContent,
} from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'
import { forReader, sendForReader } from '../../site/send-page.ts'

const fields = { color: 'green' }
const isJson = { defaultType: 'json' } as const

export const bodies: Demo = {
  name: 'bodies',
  title: 'Bodies',
  summary: 'Form, JSON, multipart and text bodies, returned as JSON.',
  group: 'Requests and responses',
  samples: [
    {
      title: 'A form',
      method: 'POST',
      path: '/users/post',
      fields: { 'glass[color]': 'green', name: 'Ann' },
    },
    {
      title: 'JSON',
      method: 'POST',
      path: '/users/post',
      body: {
        type: 'application/json',
        text: '{ "glass": { "color": "green" }, "panes": [1, 2] }',
      },
      featured: 'A JSON body',
    },
    {
      title: 'A multipart form',
      method: 'POST',
      path: '/users/post/formdata',
      fields: { color: 'green' },
      file: 'pic',
    },
    {
      title: 'Text',
      method: 'POST',
      path: '/users/post/raw',
      body: { type: 'text/plain', text: 'plain words' },
    },
  ],
  lookFor:
    '`Content-Type` determines how the server reads a body. The first two requests send the same kind of value to one URL as different media types.',
  routes: ({ config }) => {
    const posts = [postFields, postMultipart(config), postText]
    // The demo of the users has these paths, with its own responses.
    return config.demos.includes('users') ? posts : [...posts, getUsers, getUser]
  },
}

const postFields: Route = {
  method: 'POST',
  url: '/users/post',
  summary: 'Return a form or JSON as JSON',
  description: 'Without a body, an empty object.',
  requestBody: { content: fieldsContent({ description: 'Any value.' }, fields) },
  content: forReader(jsonContent({}, fields)),
  config: isJson,
  handler: (request, reply) =>
    sendEcho(request, reply, request.body === undefined || hasText(request) ? {} : request.body),
}

const discardFiles = {
  maxFiles: maxFormFiles,
  readFile: ({ content }: FormPart) => discard(content),
}

function postMultipart(config: Config): Route {
  const pic = {
    contentMediaType: 'application/octet-stream',
    description: 'A file. It is read and discarded.',
  }
  const schema = { type: 'object', properties: { color: text, pic }, propertyNames: fieldNames }
  return {
    method: 'POST',
    url: '/users/post/formdata',
    summary: 'Return the text fields of a multipart form as JSON',
    description: 'Brackets in names nest, and repeated fields become a list.',
    requestBody: { content: { 'multipart/form-data': { schema, example: fields } } },
    content: forReader(jsonContent({ type: 'object' }, fields)),
    config: { ...isJson, readsBodyItself: true },
    handler: async (request, reply) => {
      const isRead = config.bodyReaders.includes('multipart')
      return sendEcho(request, reply, isRead ? await readForm(request, config, discardFiles) : {})
    },
  }
}

const postText: Route = {
  method: 'POST',
  url: '/users/post/raw',
  summary: 'Return a text as a JSON string',
  requestBody: { content: textContent('plain words') },
  content: forReader(jsonContent(text, 'plain words')),
  config: isJson,
  handler: (request, reply) => sendEcho(request, reply, hasText(request) ? request.body : ''),
}

function sendEcho(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply {
  return sendForReader(request, reply, { demo: bodies, body: JSON.stringify(value), isJson: true })
}

const getUsers: Route = {
  method: 'GET',
  url: '/users',
  summary: 'Return a text about the users',
  example: 'These are the users\n',
  handler: (_, reply) => sendText(reply, 'These are the users\n'),
}

const getUser: Route = {
  method: 'GET',
  url: '/users/:id',
  summary: 'Return a text about one user',
  parameters: [pathParameter('id', 'Any text.', '42')],
  example: 'This is user 42\n',
  handler: (request, reply) => sendText(reply, `This is user ${toPathParameter(request, 'id')}\n`),
}

function hasText({ headers, body }: FastifyRequest): boolean {
  return toMediaType(headers['content-type']).startsWith('text/') && body !== undefined
}
