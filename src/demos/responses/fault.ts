import { notFound } from '../../http/errors/http-error.ts'
import { pathParameter } from '../../http/openapi/content.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { faultNames, faults, isFaultName } from '../../responses/faults.ts'
import { parseDescription } from '../../responses/parse-description.ts'
import { descriptionParameters, toDescription, toQuery } from '../../responses/read-description.ts'
import { sendDescribed } from '../../responses/send.ts'
import { cookiePath, describedResponses, type ToRoutes } from './endpoint.ts'

const names = Object.entries(faults).map(([name, { summary }]) => `- \`${name}\`: ${summary}`)
const list = `The fault:\n\n${names.join('\n')}`

const parameters = [
  { ...pathParameter('name', list, 'short-body'), schema: { enum: faultNames } },
  ...descriptionParameters.filter(({ name }) => name !== 'fault'),
]

export const toFaultRoutes: ToRoutes = ({ config }, { supportedMethods: method }) => [
  {
    method,
    url: '/responses/fault/:name',
    file: 'src/demos/responses/fault.ts',
    summary: 'Respond with a fault of the connection',
    description:
      'The parameters describe the response that has the fault. RESPONSE_FAULTS=off disables faults.',
    parameters,
    responses: describedResponses,
    handler: (request, reply) => {
      const fault = toPathParameter(request, 'name')
      if (!isFaultName(fault)) {
        throw notFound(`There is no fault "${fault}". The faults are ${faultNames.join(', ')}.`)
      }
      const given = toDescription([...toQuery(request), ['fault', fault]], config)
      return sendDescribed(reply, parseDescription(given, config), { config, cookiePath })
    },
  },
]
