import { textContent } from '../../http/openapi/content.ts'
import type { Operations, Parameter } from '../../http/openapi/operation.ts'

function texts(name: string, example: string): Parameter {
  return {
    name,
    in: 'query',
    description: 'One value or several.',
    schema: { type: 'array', items: { type: 'string' }, maxItems: 100 },
    example: [example],
  }
}

export const operations: Operations = {
  'GET /topic': {
    summary: 'What a GET form sends',
    description: 'Several values of `a` are joined by a comma; `sex` and `vehicle` are heard only.',
    parameters: [texts('a', 'glass'), texts('sex', 'female'), texts('vehicle', 'bike')],
    responses: {
      200: {
        description: 'Text with the value of `a`.',
        content: textContent('The topic is glass\n'),
      },
    },
  },
}
