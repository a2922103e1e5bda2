import { describeRoutes } from '../../http/openapi/operation.ts'
import { parameterToText } from '../../http/request/query-string.ts'
import { sendText } from '../../http/response/send.ts'
import { toPath } from '../../http/request/target.ts'
import { isAlone, type Demo } from '../../site/demo.ts'
import { operations } from './operations.ts'

/** A GET form's values, which travel in the address. */
export const topic: Demo = {
  name: 'topic',
  title: 'Topic',
  summary: 'What a GET form sends travels in the address and comes back as text.',
  links: [{ href: '/topic?a=glass', label: 'A topic from the query string' }],
  tryOut: { method: 'GET', path: '/topic', fields: { a: 'glass' } },
  open: (app, services) => {
    describeRoutes(app, 'topic', operations)
    app.get('/topic', ({ query }, reply) => {
      const { a } = query as { a?: unknown }
      return sendText(reply, `The topic is ${parameterToText(a)}\n`)
    })
    if (!isAlone('topic', services)) return
    // Seed, "single-path demo": every other path answers too, and says what it was.
    app.all('/*', (request, reply) => {
      const path = toPath(request.url)
      if (path === '/topic') {
        reply.callNotFound()
        return reply
      }
      return sendText(reply, `You asked for ${path}\n`)
    })
  },
}
