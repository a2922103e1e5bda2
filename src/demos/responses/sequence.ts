import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { jsonContent } from '../../http/openapi/content.ts'
import { toComponent } from '../../http/openapi/component.ts'
import { isWithoutBody } from '../../responses/description-limits.ts'
import {
  sequenceSchema,
  type ResponseDescription,
  type Sequence,
} from '../../responses/description.ts'
import { parseDescribed, parseDescription } from '../../responses/parse-description.ts'
import { readDescription, toDescription, toQuery } from '../../responses/read-description.ts'
import { sendDescribed } from '../../responses/send.ts'
import { takeStep } from '../../responses/sequences.ts'
import type { State } from '../../stores/states/states.ts'
import { cookiePath, describedResponses, forAnyMethod, toParameters } from './endpoint.ts'
import type { ToRoutes } from './endpoint.ts'
import { createQueryParser, toQueryParameters } from './query.ts'
import { keyParameter, parseKey, toStateRoutes } from './state.ts'

/** As often as in JSON: see `sequenceSchema`. */
const step = '[2-5]\\d\\d(\\*([1-9]\\d{0,2}|1000))?'

const querySchema = {
  type: 'object',
  properties: {
    steps: {
      type: 'string',
      pattern: `^${step}(,${step})*$`,
      maxLength: 500,
      description:
        'The status codes in their order. `503*2` is 503 for two requests. The last one repeats. Without parameters: `503*2,200`, and `retry_after` is 1.',
      example: '503*2,200',
    },
    retry_after: {
      type: 'integer',
      minimum: 0,
      maximum: 86_400,
      description:
        'The value of Retry-After in all responses except 2xx. With `steps`, none by default.',
    },
  },
  additionalProperties: false,
} as const

const parseSteps = createQueryParser(querySchema)
type Steps = ReturnType<typeof parseSteps>
const component = toComponent('schemas', 'ResponseSequence', sequenceSchema)
const example = {
  sequence: [
    { status: 503, times: 2 },
    { status: 200, json: [] },
  ],
}

export const toSequenceRoutes: ToRoutes = (services, app) => {
  const { config, states } = services
  const file = 'src/demos/responses/sequence.ts'
  const routes = forAnyMethod(app, {
    url: '/responses/sequence/:key',
    file,
    summary: 'Respond with the next step of a sequence',
    description:
      'The steps are described by the parameters, of which those of /responses/custom describe the last step, by JSON in the parameter `description`, or, in a request without parameters, by JSON in the body. Each request with this key counts, whatever its steps are, until ten minutes have passed without one.',
    parameters: [
      keyParameter,
      ...toQueryParameters(querySchema),
      ...toParameters({ description: ['The sequence as JSON, without other parameters.'] }),
    ],
    requestBody: { content: jsonContent(component, example) },
    responses: describedResponses,
    store: 'writes',
    handler: async (request, reply) => {
      const key = parseKey(request)
      const query = toQuery(request)
      const given = await readDescription(request, query, config)
      const described = given === undefined ? undefined : parseDescribed(given, config)
      const { sequence } = toSequence(described ?? readSteps(request, config))
      const { requests, step = {} } = await takeStep(states, `sequence/${key}`, sequence)
      const json = { key, requests, status: step.status }
      const hasOwnBody = described !== undefined || hasBody(step) || isWithoutBody(step.status)
      const description = hasOwnBody ? step : { ...step, json }
      return sendDescribed(reply, description, { config, cookiePath })
    },
  })
  const toShown = ({ requests = 0 }: State) => ({ requests })
  return [...routes, ...toStateRoutes(services, { name: 'sequence', file, toShown })]
}

function toSequence(described: ReturnType<typeof parseDescribed>): Sequence {
  return 'sequence' in described ? described : { sequence: [described] }
}

/** Other parameters than those of the steps describe the last one. */
function readSteps(request: FastifyRequest, config: Config): Sequence {
  const query = toQuery(request)
  const [own = [], others = []] = [true, false].map((isOwn) =>
    query.filter(([name]) => Object.hasOwn(querySchema.properties, name) === isOwn),
  )
  const defaults = query.length === 0 ? { retry_after: 1 } : {}
  const { sequence } = toSteps({ ...defaults, ...parseSteps(request, own) })
  const last = parseDescription(toDescription(others, config), config)
  return { sequence: sequence.with(-1, { ...sequence.at(-1), ...last }) }
}

const hasBody = (step: ResponseDescription) =>
  ['body', 'json', 'base64'].some((name) => name in step)

function toSteps({ steps = '503*2,200', retry_after: seconds }: Steps): Sequence {
  const headers = seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } }
  const sequence = steps.split(',').map((text) => {
    const [status, times = 1] = text.split('*')
    return { status: Number(status), times: Number(times), ...(!text.startsWith('2') && headers) }
  })
  return { sequence }
}
