import type { FastifyInstance } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { maxValues } from '../../config/limits.ts'
import { parameterToText } from '../../http/request/parameters.ts'
import { queryParameter, textContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPath } from '../../http/request/target.ts'
import { sendText } from '../../http/response/send.ts'
import { forReader, sendForReader } from '../../site/send-page.ts'
import { isAlone, type Demo } from '../../site/demo.ts'

const description = 'One value or several.'
const schema = { type: 'array', items: { type: 'string' }, maxItems: maxValues }

export const topic: Demo = {
  name: 'topic',
  title: 'Topic',
  summary: 'A GET form sends its fields in the query string. The response contains the field a.',
  group: 'Requests and responses',
  samples: [
    {
      title: 'A field in the query string',
      method: 'GET',
      path: '/topic',
      fields: { a: 'glass' },
      choices: {
        Glass: 'glass',
        'Reserved characters': 'a&b=c',
        Markup: '<b>bold</b>',
        Emoji: '🏛️',
      },
      featured: 'A query string',
    },
  ],
  lookFor:
    'The request line contains the field, percent-encoded, and the request has no body. Markup has no effect, because the response is `text/plain`.',
  form: '/topic.html',
  routes: (services, app) => (isAlone('topic', services) ? [getTopic, anyPath(app)] : [getTopic]),
}

const getTopic: Route = {
  method: 'GET',
  url: '/topic',
  summary: 'Return a field of a GET form',
  description:
    'Repeated values of `a` are joined with commas. `sex` and `vehicle` are accepted and ignored.',
  parameters: Object.entries({ a: 'glass', sex: 'female', vehicle: 'bike' }).map(
    ([name, example]) => queryParameter(name, [description, [example], schema]),
  ),
  content: forReader(textContent('The topic is glass\n')),
  handler: (request, reply) => {
    const { a } = isObject(request.query) ? request.query : {}
    const body = `The topic is ${parameterToText(a)}\n`
    return sendForReader(request, reply, { demo: topic, body })
  },
}

/** The original API: if this demo is served alone, every other path gets a response that names it. */
const anyPath = (app: FastifyInstance): Route => ({
  method: app.supportedMethods,
  url: '/*',
  summary: 'Return the path, when this is the only demo',
  onRequest: (request, reply, done) => {
    if (app.findAllowedMethods(toPath(request.url))) reply.callNotFound()
    else done()
  },
  handler: (request, reply) => sendText(reply, `You requested ${toPath(request.url)}\n`),
})
