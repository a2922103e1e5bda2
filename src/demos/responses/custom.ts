import { jsonContent } from '../../http/openapi/content.ts'
import { parseDescription } from '../../responses/parse-description.ts'
import {
  descriptionParameters,
  readDescription,
  toDescription,
  toQuery,
} from '../../responses/read-description.ts'
import { sendDescribed } from '../../responses/send.ts'
import {
  cookiePath,
  describedResponses,
  descriptionComponent,
  forAnyMethod,
  toParameters,
  type ToRoutes,
} from './endpoint.ts'

const parameters = [
  ...descriptionParameters,
  ...toParameters({ description: ['The whole description as JSON, without other parameters.'] }),
]

export const toCustomRoutes: ToRoutes = ({ config }, app) =>
  forAnyMethod(app, {
    url: '/responses/custom',
    file: 'src/demos/responses/custom.ts',
    summary: 'Respond as the request describes',
    description:
      'The response is described by the parameters, by JSON in the parameter `description`, or, in a request without parameters, by JSON in the body. Nothing is required.',
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
