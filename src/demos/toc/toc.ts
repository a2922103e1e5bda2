import { isObject } from '../../config/is-object.ts'
import { parameterToText } from '../../http/request/parameters.ts'
import { fieldsContent, textContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import type { Demo } from '../../site/demo.ts'
import { forReader, sendForReader } from '../../site/send-page.ts'

const a = { description: 'Any text. Other values are returned as JSON.' }

export const toc: Demo = {
  name: 'toc',
  title: 'Form post',
  summary: 'A POST form sends its fields in the body. The response is the field a, unchanged.',
  group: 'Requests and responses',
  samples: [
    {
      title: 'A field in the body',
      method: 'POST',
      path: '/toc/aaa',
      fields: { a: 'glass & brass' },
      choices: { 'Glass & brass': 'glass & brass', Percent: '100 %', 'Other letters': 'Zoë 日本' },
      featured: 'A form body',
    },
  ],
  lookFor:
    'The URL does not contain the field: the body does, as `application/x-www-form-urlencoded`. `Content-Length` is the size of the body in bytes.',
  form: '/toc.html',
  routes: () => [postField],
}

const postField: Route = {
  method: 'POST',
  url: '/toc/aaa',
  summary: 'Return a field of a POST form',
  requestBody: { content: fieldsContent({ properties: { a } }, { a: 'brass' }) },
  content: forReader(textContent('brass')),
  handler: (request, reply) => {
    const { a } = isObject(request.body) ? request.body : {}
    return sendForReader(request, reply, { demo: toc, body: parameterToText(a) })
  },
}
