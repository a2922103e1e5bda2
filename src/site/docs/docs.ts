import type { FastifyInstance } from 'fastify'
import { hash } from 'node:crypto'
import { html } from '../html.ts'
import { toDocument, type DocumentParts } from '../../http/openapi/document.ts'
import { toFileOperation } from '../../http/openapi/files.ts'
import { registerRoutes, serviceTag, type Route } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { sendBytes, toSource, type Bytes } from '../../http/response/send-bytes.ts'
import type { Demo } from '../demo.ts'
import { originMark } from './curl.ts'
import { renderDocsPage } from './docs-page.ts'
import { info } from './info.ts'
import { renderPage } from '../page.ts'

type DocsOptions = Pick<DocumentParts, 'shapes' | 'limits'> & { demos: readonly Demo[] }

export function openDocs(app: FastifyInstance, { demos, shapes, limits }: DocsOptions): void {
  const ofDemos = demos.map(({ name, summary: description }) => ({ name, description }))
  const tags = [...ofDemos, { name: serviceTag, description: 'Available in every instance.' }]
  const place = { server: app, request: { url: '/docs' } }
  let texts: { json: string; page: string } | undefined
  // Made at the first request, when all routes are registered.
  const load = () => {
    const document = toDocument({ info, tags, routes: app.declaredRoutes, shapes, limits })
    return { json: JSON.stringify(document), page: renderPage(place, renderDocsPage(document)) }
  }
  // Functions, since `$'` in an origin would insert the rest of the text.
  const toJson = (origin: string) => (texts ??= load()).json.replaceAll(originMark, () => origin)
  const toPage = (origin: string) =>
    (texts ??= load()).page.replaceAll(originMark, () => html`${origin}`.markup)
  registerRoutes(app, { file: import.meta.filename }, [
    {
      ...documentRoute('Get this document (OpenAPI 3.1)', 'application/json', toJson),
      url: '/openapi.json',
      config: { defaultType: 'json' },
    },
    {
      ...documentRoute('Get this document as a page that can send requests', 'text/html', toPage),
      url: '/docs',
    },
  ])
}

function documentRoute(
  summary: string,
  mediaType: string,
  toText: (origin: string) => string,
): Omit<Route, 'url'> {
  let last: { origin: string; bytes: Bytes } | undefined
  return {
    method: 'GET',
    ...toFileOperation(summary, mediaType),
    handler: (request, reply) => {
      const origin = toOrigin(request)
      if (last?.origin !== origin) last = { origin, bytes: textToBytes(mediaType, toText(origin)) }
      return sendBytes(request, reply, last.bytes)
    },
  }
}

function textToBytes(mediaType: string, text: string): Bytes {
  const content = Buffer.from(text)
  const sha256 = hash('sha256', content)
  const etag = `"${sha256.slice(0, 32)}"`
  return { type: `${mediaType}; charset=utf-8`, sha256, etag, ...toSource(content) }
}
