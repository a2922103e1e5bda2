import { jsonContent } from '../../http/openapi/content.ts'
import { parseDescription, toDescription } from '../../responses/parse-description.ts'
import { readDescription, toQuery } from '../../responses/read-description.ts'
import { sendDescribed } from '../../responses/send.ts'
import {
  cookiePath,
  describedResponses,
  descriptionComponent,
  forAnyMethod,
  toParameters,
  type ToRoutes,
} from './endpoint.ts'

const repeated = 'Repeat it for several.'

const parameters = toParameters({
  status: ['The status code, from 200 to 599.', '503'],
  header: [`A header as \`Name: value\`. ${repeated}`, 'Retry-After: 1'],
  type: ['The value of Content-Type.'],
  body: ['The body as text.', 'Try again.'],
  json: ['The body as JSON.'],
  base64: ['The body in Base64.'],
  cookie: [`The value of a Set-Cookie header. ${repeated}`],
  delay: ['The seconds before the status line.'],
  chunk_size: ['The bytes of each chunk.'],
  pause: ['The seconds between two chunks.'],
  framing: ['`length`, `chunked` or `close`.'],
  trailer: [`A header after the body, as \`Name: value\`. ${repeated}`],
  encoding: ['`gzip`, `br`, `zstd` or `deflate`.'],
  early_hint: [`A header of a 103 before the delay, as \`Name: value\`. ${repeated}`],
  close: ['`true`: the connection ends after the response.'],
  description: ['All of it as JSON, in place of the other parameters.'],
})

export const toCustomRoutes: ToRoutes = ({ config }, app) =>
  forAnyMethod(app, {
    url: '/responses/custom',
    file: 'src/demos/responses/custom.ts',
    summary: 'Respond as the request describes',
    description:
      'The description is in the parameters, in the parameter `description`, or without parameters in the JSON of the body. Nothing is required.',
    parameters,
    requestBody: { content: jsonContent(descriptionComponent, { status: 404, json: { a: 1 } }) },
    responses: describedResponses,
    handler: async (request, reply) => {
      const query = toQuery(request)
      const read = await readDescription(request, query, config)
      const given = read === undefined ? toDescription(query, config) : read
      return sendDescribed(reply, parseDescription(given, config), { config, cookiePath })
    },
  })
