import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { html } from '../html.ts'
import { toDocument } from '../../http/openapi/document.ts'
import { toFileOperation } from '../../http/openapi/files.ts'
import type { ErrorStatus } from '../../http/openapi/operation.ts'
import { registerRoutes, serviceTag } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import type { ErrorShape } from '../../http/errors/send-error.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import type { Demo } from '../demo.ts'
import { docsPage, originMark } from './docs-page.ts'
import { info } from './info.ts'

interface DocsOptions {
  demos: readonly Demo[]
  shapes: readonly ErrorShape[]
  /** The error statuses of the configured limits. */
  limits?: readonly ErrorStatus[] | undefined
}

/** `GET /openapi.json` and `GET /docs`: every route, for programs and for people. */
export function openDocs(app: FastifyInstance, { demos, shapes, limits = [] }: DocsOptions): void {
  const ofDemos = demos.map(({ name, summary: description }) => ({ name, description }))
  const tags = [...ofDemos, { name: serviceTag, description: 'Available in every instance.' }]
  // Made at the first request, when all routes are registered.
  const loadDocument = once(() =>
    toDocument({ info, tags, routes: app.declaredRoutes, shapes, limits }),
  )
  const loadJson = once(() => JSON.stringify(loadDocument()))
  const loadPage = once(() => docsPage(loadDocument()).markup)
  registerRoutes(app, { file: import.meta.filename }, [
    {
      method: 'GET',
      url: '/openapi.json',
      ...toFileOperation('Get this document (OpenAPI 3.1)', 'application/json'),
      config: { defaultType: 'json' },
      handler: (request, reply) =>
        sendWhole(request, reply, { type: 'application/json; charset=utf-8', text: loadJson() }),
    },
    {
      method: 'GET',
      url: '/docs',
      ...toFileOperation('Get this document as a page that can send requests', 'text/html'),
      handler: (request, reply) => {
        const text = loadPage().replaceAll(originMark, html`${toOrigin(request)}`.markup)
        return sendWhole(request, reply, { type: 'text/html; charset=utf-8', text })
      },
    },
  ])
}

function once<Value>(load: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= load())
}

function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, text }: { type: string; text: string },
): Promise<FastifyReply> {
  const bytes = Buffer.from(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return sendBytes(request, reply, {
    type,
    size: bytes.length,
    sha256,
    etag: `"${sha256.slice(0, 32)}"`,
    open: (start, end) => bytes.subarray(start, end + 1),
  })
}
