import { isObject, parameterToText } from '../../http/request/parameters.ts'
import { fieldsContent } from '../../http/openapi/content.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'

const a = { description: 'Any text. Other values are returned as JSON.' }

export const toc: Demo = {
  name: 'toc',
  title: 'Form post',
  summary: 'A POST form sends its fields in the body. The response is the field a, unchanged.',
  group: 'Requests and responses',
  links: [],
  tryOut: { method: 'POST', path: '/toc/aaa', fields: { a: 'glass & brass' } },
  routes: [
    {
      method: 'POST',
      url: '/toc/aaa',
      summary: 'Return a field of a POST form',
      requestBody: { content: fieldsContent({ properties: { a } }, { a: 'brass' }) },
      example: 'brass',
      handler: ({ body }, reply) =>
        sendText(reply, parameterToText(isObject(body) ? body.a : undefined)),
    },
  ],
}
