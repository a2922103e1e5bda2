import type { Config } from '../../config/config.ts'
import { jsonContent, queryParameters } from '../../http/openapi/content.ts'
import { toComponent } from '../../http/openapi/component.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import { isWithoutContent } from '../../http/response/without-content.ts'
import { sequenceSchema, type Description, type Sequence } from '../../responses/description.ts'
import { faultNames, isFaultName } from '../../responses/faults.ts'
import {
  badDescription,
  parseDescribed,
  parseDescription,
} from '../../responses/parse-description.ts'
import { readDescription, parseMembers, readQuery } from '../../responses/read-description.ts'
import { takeStep } from '../../responses/sequences.ts'
import { describedResponses, type ResponseEndpoint } from './endpoint.ts'
import { createQueryParser, toQueryParameters } from './query.ts'
import { keyParameter, parseKey, toStateEndpoints } from './state.ts'

/** The count has the same limit as `times` of `sequenceSchema`. */
const step = `([2-5]\\d\\d|${faultNames.join('|')})(\\*([1-9]\\d{0,2}|1000))?`

const properties = {
  steps: {
    type: 'string',
    pattern: `^${step}(,${step})*$`,
    maxLength: 500,
    description:
      'The status codes, or names of faults, in their order. `503*2` is 503 for two requests. The last one repeats. Without parameters: `503*2,200`, and `retry_after` is 1.',
    example: '503*2,short-body,200',
  },
  retry_after: {
    type: 'string',
    pattern: '^(date:)?\\d{1,5}$',
    description:
      'The value of Retry-After in all responses except 2xx: seconds, or `date:3` for the date in 3 seconds. With `steps`, none by default.',
    example: 'date:3',
  },
} as const

const parseSteps = createQueryParser(properties, {
  steps: `have the form 503*2,short-body,200. A step is a status code from 200 to 599 or a fault (${faultNames.join(', ')}), with an optional count from *1 to *1000`,
  retry_after: 'be a number of seconds from 0 to 99999, or date:3 for the date in 3 seconds',
})
type Steps = ReturnType<typeof parseSteps>
const component = toComponent('schemas', 'ResponseSequence', sequenceSchema)
const example = {
  sequence: [
    { status: 503, times: 2 },
    { status: 200, json: [] },
  ],
}

export const sequenceEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/sequence/:key',
    summary: 'Respond with the next step of a sequence',
    description:
      'Describe the steps in one of three ways: with parameters, with JSON in the parameter `description`, or with JSON in the body of a request whose only parameter is `tag`. The parameters of /responses/custom describe the last step, and the response that the faults before it break. Each request with this key counts, whatever its steps are. The count starts again when ten minutes have passed without a request.',
    parameters: [
      keyParameter,
      ...toQueryParameters(properties),
      ...queryParameters({ description: ['The sequence as JSON, without other parameters.'] }),
    ],
    requestBody: { content: jsonContent(component, example) },
    responses: describedResponses,
    store: 'writes',
    describe: async (request, { config, states }) => {
      const key = parseKey(request)
      const query = readQuery(request)
      const given = await readDescription(request, query, config)
      const described = given && parseDescribed(given.value, config, given.intro)
      const { sequence } = toSequence(described ?? readSteps(query, config))
      const { requests, step = {} } = await takeStep(request.raw, states, {
        key: `sequence/${key}`,
        steps: sequence,
      })
      const hasOwnBody =
        described !== undefined || describesBody(step) || isWithoutContent(step.status)
      return hasOwnBody ? step : { ...step, json: { key, requests, status: step.status } }
    },
  },
  ...toStateEndpoints('sequence', ({ requests = 0 }) => ({ requests })),
]

function toSequence(described: ReturnType<typeof parseDescribed>): Sequence {
  return 'sequence' in described ? described : { sequence: [described] }
}

/** These members describe the last step, and the faults before it break them. */
const ofRepresentation = ['headers', 'type', 'body', 'json', 'base64', 'encoding', 'ranges']

/** Other parameters than those of the steps describe the last one. */
function readSteps(query: readonly Pair[], config: Config): Sequence {
  const [own = [], others = []] = [true, false].map((isOwn) =>
    query.filter(([name]) => Object.hasOwn(properties, name) === isOwn),
  )
  const defaults = query.length === 0 ? { retry_after: '1' } : {}
  const { sequence } = toSteps({ ...defaults, ...parseSteps(own) })
  const { seconds, ...given } = parseMembers(others, config, [
    ...Object.keys(properties),
    'description',
  ])
  const members = Object.entries(given).filter(([name]) => ofRepresentation.includes(name))
  const broken = Object.fromEntries(members)
  const steps = sequence.map((step, index) => {
    if (index === sequence.length - 1) return { ...step, ...given }
    return step.fault ? { ...broken, ...step } : step
  })
  if (seconds !== undefined && !steps.some(({ fault }) => fault))
    throw badDescription([{ field: 'seconds', message: 'needs fault' }])
  const timed = seconds === undefined ? {} : { seconds }
  return {
    sequence: steps.map(({ times = 1, ...step }) => ({
      ...parseDescription(step.fault ? { ...step, ...timed } : step, config),
      times,
    })),
  }
}

const describesBody = (step: Description) => ['body', 'json', 'base64'].some((name) => name in step)

function toSteps({ steps = '503*2,200', retry_after: seconds }: Steps): Sequence {
  const headers = seconds === undefined ? {} : { headers: { 'Retry-After': seconds } }
  const sequence = steps.split(',').map((text) => {
    const [name = '', count = 1] = text.split('*')
    const times = Number(count)
    if (isFaultName(name)) return { status: 200, fault: name, times }
    return { status: Number(name), times, ...(!name.startsWith('2') && headers) }
  })
  return { sequence }
}
