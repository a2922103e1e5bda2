import { notFound } from '../../http/errors/http-error.ts'
import { pathParameter } from '../../http/openapi/content.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { faultNames, faults, isFaultName } from '../../responses/faults.ts'
import { parseDescription } from '../../responses/parse-description.ts'
import { descriptionParameters, parseMembers, readQuery } from '../../responses/read-description.ts'
import { describedResponses, type ResponseEndpoint } from './endpoint.ts'

const names = Object.entries(faults).map(([name, { summary }]) => `- \`${name}\`: ${summary}`)
const list = `The fault:\n\n${names.join('\n')}`

export const faultEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/fault/:name',
    summary: 'Respond with a fault of the connection',
    description:
      'The parameters describe the response that has the fault. RESPONSE_FAULTS=off disables faults.',
    parameters: [
      { ...pathParameter('name', list, 'short-body'), schema: { enum: faultNames } },
      ...descriptionParameters.filter(({ name }) => name !== 'fault'),
    ],
    responses: describedResponses,
    describe: (request, { config }) => {
      const fault = toPathParameter(request, 'name')
      if (!isFaultName(fault)) {
        throw notFound(`There is no fault "${fault}". The faults are ${faultNames.join(', ')}.`)
      }
      const given = parseMembers([...readQuery(request), ['fault', fault]], config)
      return parseDescription(given, config)
    },
  },
]
