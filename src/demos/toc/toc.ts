import { describeRoutes } from '../../http/openapi/operation.ts'
import { parameterToText } from '../../http/request/query-string.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'
import { operations } from './operations.ts'

/** A POST form's values, which travel in the body. */
export const toc: Demo = {
  name: 'toc',
  title: 'Form post',
  summary: 'What a POST form sends travels in the body and comes back to the byte.',
  links: [],
  tryOut: { method: 'POST', path: '/toc/aaa', fields: { a: 'to the byte' } },
  open: (app) => {
    describeRoutes(app, 'toc', operations)
    app.post('/toc/aaa', ({ body }, reply) => {
      const { a } = Object(body) as { a?: unknown }
      return sendText(reply, parameterToText(a))
    })
  },
}
