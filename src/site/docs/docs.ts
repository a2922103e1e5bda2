import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { notFound } from '../../http/errors/http-error.ts'
import { pathParameter } from '../../http/openapi/content.ts'
import type { Parameter } from '../../http/openapi/operation.ts'
import { toDocument, type DocumentParts } from '../../http/openapi/document.ts'
import { toFileOperation } from '../../http/openapi/files.ts'
import { registerRoutes, serviceTag, type Route } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendBytes, toSource, type Bytes } from '../../http/response/send-bytes.ts'
import type { Demo } from '../demo.ts'
import { renderForOrigin, toContents, toOperationPage, toOverview } from './docs-page.ts'
import { info, originMark } from './info.ts'
import type { PagePlace } from '../page.ts'

type DocsOptions = Pick<DocumentParts, 'shapes' | 'limits'> & { demos: readonly Demo[] }

export function openDocs(app: FastifyInstance, options: DocsOptions): void {
  const texts = createTexts(app, options)
  const routes = [getDocument(texts), getDocs(texts), getOperation(texts)]
  registerRoutes(app, { file: import.meta.filename }, routes)
}

type DocsTexts = ReturnType<typeof createTexts>

function createTexts(app: FastifyInstance, { demos, shapes, limits }: DocsOptions) {
  const ofDemos = demos.map(({ name, summary: description }) => ({ name, description }))
  const tags = [...ofDemos, { name: serviceTag, description: 'Available in every instance.' }]
  const titles = new Map(demos.map(({ name, title }) => [name, title]))
  let made: ReturnType<typeof make> | undefined
  // The document is made at the first request, when all routes are registered.
  const make = () => {
    const changed = updates.flat()
    const toKey = ({ url, method }: Route) => `${String(method)} ${url}`
    const byKey = new Map(app.declaredRoutes.map((route) => [toKey(route), route]))
    for (const route of changed) {
      const declared = byKey.get(toKey(route)) ?? { file: '', tag: serviceTag }
      byKey.set(toKey(route), { ...declared, ...route })
    }
    const routes = [...byKey.values()].filter(({ isGone }) => !isGone)
    const document = toDocument({ info, tags, routes, shapes, limits })
    return { json: JSON.stringify(document), contents: toContents(document, titles) }
  }
  let updates: (readonly Route[])[] = []
  const load = () => (made ??= make())
  const refresh = async () => {
    const finds = app.routeUpdates.map((find) => find())
    // If the database fails, the document stays as it was.
    const next = await Promise.all(finds).catch(() => updates)
    if (next.every((routes, index) => routes === updates[index])) return updates
    made = undefined
    return (updates = next)
  }
  return {
    refresh,
    toJson: (_id: string, origin: string) => load().json.replaceAll(originMark, origin),
    /** With a request, for its sandbox. */
    toPage: (id: string, origin: string, request: PagePlace['request'] = { url: '/docs' }) => {
      const { contents } = load()
      const page = id === '' ? toOverview(contents, origin) : toOperationPage(contents, id, origin)
      if (!page) throw notFound('There is no operation with this id.', ['/docs', 'Documentation'])
      return renderForOrigin({ server: app, request }, page, origin)
    },
  }
}

const getDocument = ({ toJson, refresh }: DocsTexts): Route => ({
  ...getText({
    url: '/openapi.json',
    summary: 'Get this document (OpenAPI 3.1)',
    mediaType: 'application/json',
    toText: toJson,
    refresh,
  }),
  config: { defaultType: 'json' },
})

const getDocs = ({ toPage, refresh }: DocsTexts): Route =>
  getText({
    url: '/docs',
    summary: 'Get this document as pages that can send requests',
    mediaType: 'text/html',
    toText: toPage,
    refresh,
  })

const getOperation = ({ toPage, refresh }: DocsTexts): Route => ({
  ...getText({
    url: '/docs/:operationId',
    summary: 'Get the page of one operation',
    parameters: [pathParameter('operationId', 'The `operationId` in `/openapi.json`.', 'getDocs')],
    mediaType: 'text/html',
    toText: toPage,
    refresh,
  }),
  errors: [404, 412, 416],
})

/** The document can have megabytes, and a client can send any port in `Host`. */
const maxOrigins = 4

interface TextRoute extends Pick<DocsTexts, 'refresh'>, Pick<Route, 'url' | 'summary'> {
  mediaType: string
  toText: (id: string, origin: string, request?: FastifyRequest) => string
  parameters?: readonly Parameter[]
}

function getText({ url, summary, mediaType, parameters, toText, refresh }: TextRoute): Route {
  const made = new Map<string, Map<string, Bytes>>()
  let last: unknown
  const load = (request: FastifyRequest) => {
    const origin = toOrigin(request)
    const { sandbox, sandboxPath = '', basePath = '' } = request.raw
    const id = toPathParameter(request, 'operationId')
    if (sandbox?.tokens) {
      const base = origin + (mediaType === 'text/html' ? sandboxPath : basePath)
      return textToBytes(mediaType, toText(id, base, request))
    }
    const ofOrigin = made.get(origin) ?? new Map<string, Bytes>()
    made.delete(origin)
    made.set(origin, ofOrigin)
    const [oldest = ''] = made.keys()
    if (made.size > maxOrigins) made.delete(oldest)
    const bytes = ofOrigin.get(id) ?? textToBytes(mediaType, toText(id, origin))
    ofOrigin.set(id, bytes)
    return bytes
  }
  return {
    method: 'GET',
    url,
    ...toFileOperation(summary, mediaType, parameters),
    handler: async (request, reply) => {
      const current = await refresh()
      if (current !== last) made.clear()
      last = current
      return sendBytes(request, reply, load(request))
    },
  }
}

function textToBytes(mediaType: string, text: string): Bytes {
  const content = Buffer.from(text)
  const sha256 = hash('sha256', content)
  const etag = `"${sha256.slice(0, 32)}"`
  return { type: `${mediaType}; charset=utf-8`, sha256, etag, ...toSource(content) }
}
