import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound, readOnly } from '../http/errors/http-error.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import {
  jsonContent,
  objectSchema,
  pageContent,
  pathParameter,
  text,
} from '../http/openapi/content.ts'
import { responseHeaders } from '../http/openapi/fields.ts'
import { serviceTag, type Route } from '../http/openapi/route.ts'
import { toOrigin } from '../http/request/request-head.ts'
import {
  createSandboxKey,
  openToken,
  setSandboxCookie,
  toJoinUrls,
} from '../http/request/sandbox-key.ts'
import { toPathParameter } from '../http/request/target.ts'
import { toAttachmentHeaders } from '../http/response/attachment.ts'
import { keepPrivate } from '../http/response/default-headers.ts'
import { sendChunks, sendJson } from '../http/response/send.ts'
import type { Resource } from '../resources/definition.ts'
import { writeAll } from '../resources/record/all-records.ts'
import { toRepresentation } from '../resources/record/representations.ts'
import { sandboxApiName, type Demo, type Services } from '../site/demo.ts'
import { sendPage } from '../site/send-page.ts'
import { renderJoinPage, renderSandboxPage } from './sandbox-views.ts'

const path = '/_vitrine/sandbox'
const types = ['application/json', 'text/html'] as const
const config = { defaultType: 'json', isUnrecorded: true } as const
const shared = { file: 'src/test-api/sandbox-api.ts', tag: serviceTag, config } as const
const tokenParameter = pathParameter(
  'token',
  'The token of a link that was shared.',
  `r.${'a'.repeat(43)}`,
)

/** Who uses a sandbox sees it here, shares it, resets it and downloads it: without TEST_API too. */
export function sandboxApi(resources: readonly Resource[], resetStubs: () => void): Demo {
  return {
    name: sandboxApiName,
    title: 'Sandboxes',
    summary: 'See, share, reset and download the sandbox of the request.',
    samples: [{ title: 'Your sandbox', method: 'GET', path }],
    routes: (services) => [
      getSandbox(services),
      getExport(services, resources),
      postReset(services, resetStubs),
      postCookie('new', 'Begin a sandbox of your own', createSandboxKey),
      postCookie('leave', 'Leave the sandbox that the cookie names', () => ''),
      getJoin,
      postJoin,
    ],
  }
}

function assertSandbox({ raw }: FastifyRequest) {
  if (raw.sandbox) return raw.sandbox
  throw notFound('The request names no sandbox: send a key of 16 to 64 characters in X-Sandbox.')
}

const toDone = (description: string) => ({
  204: { description },
  303: { description: 'For a form.', headers: responseHeaders('Location') },
})

const sendDone = (request: FastifyRequest, reply: FastifyReply, url: string) =>
  chooseType(request, reply, types) === 'text/html'
    ? reply.redirect(url, 303)
    : reply.code(204).send()

const getSandbox = ({ sandboxes, config: { sandboxSeconds } }: Services): Route => ({
  ...shared,
  method: 'GET',
  url: path,
  summary: 'Get the sandbox of the request',
  description: 'Neither link contains the key. Before the first write, `expiresAt` is null.',
  content: {
    ...jsonContent(
      objectSchema({
        records: { type: 'integer' },
        expiresAt: text,
        readUrl: text,
        writeUrl: text,
      }),
      {
        records: 20,
        expiresAt: '2026-11-23T02:00:00.000Z',
        readUrl: `https://vitrine.example/s/join/r.${'a'.repeat(43)}`,
        writeUrl: `https://vitrine.example/s/join/w.${'b'.repeat(43)}`,
      },
    ),
    ...pageContent,
  },
  errors: [404, 406],
  store: 'reads',
  handler: async (request, reply) => {
    const type = chooseType(request, reply, types)
    keepPrivate(reply)
    const sandbox = assertSandbox(request)
    const { records, expiresAt = null } = await sandboxes.describe()
    if (type === 'text/html')
      return sendPage(reply, renderSandboxPage(request, { records, expiresAt, sandboxSeconds }))
    return sendJson(reply, { records, expiresAt, ...toJoinUrls(sandbox, toOrigin(request)) })
  },
})

const getExport = (
  { records, config: settings }: Services,
  resources: readonly Resource[],
): Route => ({
  ...shared,
  method: 'GET',
  url: `${path}/export`,
  summary: 'Download the records of the sandbox, as a data file',
  content: jsonContent({ type: 'object' }, { users: [] }),
  errors: [404],
  store: 'reads',
  handler: (request, reply) => {
    assertSandbox(request)
    keepPrivate(reply)
    const contexts = resources.map((resource) => {
      const collection = records.collection(resource.name)
      return { resource, collection, config: settings, relations: [] }
    })
    const texts = writeAll(contexts, ({ resource }, record) => toRepresentation(resource, record))
    reply.headers(toAttachmentHeaders('sandbox.json'))
    return sendChunks(reply, 'application/json', texts)
  },
})

const postReset = ({ sandboxes, sessions }: Services, resetStubs: () => void): Route => ({
  ...shared,
  method: 'POST',
  url: `${path}/reset`,
  summary: 'Bring the sandbox back to how it began',
  responses: toDone('The records are those of the data file, or the samples.'),
  errors: [403, 404, 406],
  store: 'writes',
  handler: async (request, reply) => {
    if (assertSandbox(request).isReadOnly) throw readOnly()
    await sandboxes.reset()
    await sessions.clear()
    resetStubs()
    return sendDone(request, reply, path)
  },
})

const postCookie = (name: string, summary: string, toValue: () => string): Route => ({
  ...shared,
  method: 'POST',
  url: `${path}/${name}`,
  summary,
  responses: toDone('The response sets the cookie.'),
  errors: [406],
  handler: (request, reply) => {
    setSandboxCookie(reply, toValue())
    return sendDone(request, reply, '/')
  },
})

/** A page, so that a link cannot choose the sandbox of a visitor. */
const getJoin: Route = {
  ...shared,
  method: 'GET',
  url: '/s/join/:token',
  summary: 'Get the page that joins a sandbox',
  parameters: [tokenParameter],
  content: pageContent,
  errors: [404, 406],
  handler: (request, reply) => {
    chooseType(request, reply, ['text/html'])
    keepPrivate(reply)
    return sendPage(reply, renderJoinPage(findToken(request)))
  },
}

const postJoin: Route = {
  ...shared,
  method: 'POST',
  url: '/s/join/:token',
  summary: 'Join a sandbox: the response sets a cookie',
  parameters: [tokenParameter],
  responses: toDone('Joined.'),
  errors: [404, 406],
  handler: (request, reply) => {
    setSandboxCookie(reply, findToken(request).token)
    return sendDone(request, reply, '/')
  },
}

function findToken(request: FastifyRequest) {
  const token = toPathParameter(request, 'token')
  const sandbox = openToken(token)
  if (!sandbox) throw notFound('This link joins no sandbox: a part of it is missing.')
  return { token, isReadOnly: sandbox.isReadOnly }
}
