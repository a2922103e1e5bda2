import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { html } from '../html.ts'
import { toDocument, watchRoutes } from '../../http/openapi/document.ts'
import { describeRoutes, type ErrorStatus } from '../../http/openapi/operation.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import type { ErrorShape } from '../../http/errors/send-error.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import type { Demo } from '../demo.ts'
import { docsPage, originMark } from './docs-page.ts'
import { info, serviceTag } from './info.ts'
import { operations } from './operations.ts'

interface DocsOptions {
  demos: readonly Demo[]
  shapes: readonly ErrorShape[]
  /** With what any route may refuse on top of its own. */
  limits?: readonly ErrorStatus[] | undefined
}

/**
 * `GET /openapi.json` and `GET /docs`: what every route takes and gives, for programs and for people.
 * Always there; to be opened before the first route that it shall describe.
 */
export function openDocs(
  app: FastifyInstance,
  { demos: rooms, shapes, limits = [] }: DocsOptions,
): void {
  const listRoutes = watchRoutes(app)
  const tags = rooms.map(({ name, summary: description }) => ({ name, description }))
  // Not before it is asked for: then all routes are there.
  const loadDocument = once(() =>
    toDocument({ info, tags: [...tags, serviceTag], routes: listRoutes(), shapes, limits }),
  )
  const loadJson = once(() => JSON.stringify(loadDocument()))
  const loadPage = once(() => docsPage(loadDocument()).markup)

  describeRoutes(app, serviceTag.name, operations)
  app.get('/openapi.json', { config: { defaultType: 'json' } }, (request, reply) =>
    sendWhole(request, reply, { type: 'application/json; charset=utf-8', text: loadJson() }),
  )
  app.get('/docs', (request, reply) => {
    const text = loadPage().replaceAll(originMark, html`${toOrigin(request)}`.markup)
    return sendWhole(request, reply, { type: 'text/html; charset=utf-8', text })
  })
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
