import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { toComponent } from '../../http/openapi/component.ts'
import { textContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { descriptionSchema, type Description } from '../../responses/description.ts'
import type { Services } from '../../site/demo.ts'

export interface ResponseEndpoint extends Omit<Route, 'method' | 'handler'> {
  /** The route has any method if it is unset. */
  method?: 'GET' | 'DELETE'
  toConfig?: (request: FastifyRequest, config: Config) => Config
  describe: (request: FastifyRequest, services: Services) => Description | Promise<Description>
}

export const descriptionComponent = toComponent('schemas', 'ResponseDescription', descriptionSchema)

const description = 'The described response.'
const content = { ...textContent(), 'application/json': {}, '*/*': {} }

export const describedResponses = Object.fromEntries(
  ['2XX', '3XX', '4XX', '5XX'].map((status) => [status, { description, content }]),
)
