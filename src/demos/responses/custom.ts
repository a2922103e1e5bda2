import { jsonContent, queryParameters } from '../../http/openapi/content.ts'
import { parseDescription } from '../../responses/parse-description.ts'
import {
  descriptionParameters,
  readDescription,
  parseMembers,
  readQuery,
} from '../../responses/read-description.ts'
import { describedResponses, descriptionComponent, type ResponseEndpoint } from './endpoint.ts'

export const customEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/custom',
    summary: 'Respond as the request describes',
    description:
      'The response is described by the parameters, by JSON in the parameter `description`, or, in a request without a parameter other than `tag`, by JSON in the body. Nothing is required.',
    parameters: [
      ...descriptionParameters,
      ...queryParameters({
        description: ['The whole description as JSON, without other parameters.'],
      }),
    ],
    requestBody: { content: jsonContent(descriptionComponent, { status: 404, json: { a: 1 } }) },
    responses: describedResponses,
    describe: async (request, { config }) => {
      const query = readQuery(request)
      const read = await readDescription(request, query, config)
      const { value, intro } = read ?? { value: parseMembers(query, config, ['description']) }
      return parseDescription(value, config, intro)
    },
  },
]
