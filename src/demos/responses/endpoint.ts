import type { FastifyInstance } from 'fastify'
import { toComponent } from '../../http/openapi/component.ts'
import { textContent } from '../../http/openapi/content.ts'
import type { Operation, Parameter, ResponseDoc } from '../../http/openapi/operation.ts'
import type { Route } from '../../http/openapi/route.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import { descriptionSchema } from '../../responses/description.ts'
import type { Services } from '../../site/demo.ts'

/** The routes under `/responses/<name>`. Their requests are raw: see `Demo.rawPaths`. */
export type ToRoutes = (services: Services, app: FastifyInstance) => readonly Route[]

export const cookiePath = '/responses'

export const descriptionComponent = toComponent('schemas', 'ResponseDescription', descriptionSchema)

const described: ResponseDoc = {
  description: 'The described response.',
  content: { ...textContent(), 'application/json': {}, '*/*': {} },
}

/** Of a route that responds with what a visitor has described. */
export const describedResponses: NonNullable<Operation['responses']> = {
  '2XX': described,
  '3XX': described,
  '4XX': described,
  '5XX': described,
}

/** Documented query parameters: a description, and an example unless they are for rare cases. */
export function toParameters(
  texts: Readonly<Record<string, readonly [description: string, example?: string]>>,
): Parameter[] {
  return Object.entries(texts).map(([name, [description, example]]) => {
    const parameter = { name, in: 'query', description, schema: { type: 'string' } } as const
    return example === undefined ? parameter : { ...parameter, example }
  })
}

const withBody = ['POST', 'PUT', 'PATCH']

/** One route for the methods that document a body, and one for the other methods. */
export function forAnyMethod(
  { supportedMethods }: FastifyInstance,
  { requestBody, ...route }: Omit<Route, 'method'> & Required<Pick<Route, 'requestBody'>>,
): readonly Route[] {
  const others = supportedMethods.filter((method) => !withBody.includes(method))
  return [
    { ...route, method: others },
    { ...route, method: withBody, requestBody },
  ]
}

/** A name that is repeated has a list. */
export function toObject(pairs: readonly Pair[]): Record<string, string | string[]> {
  const groups = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries(
    [...groups].map(([name, all]) => {
      const values = all.map(([, value]) => value)
      return [name, values.length > 1 ? values : values.join('')]
    }),
  )
}
