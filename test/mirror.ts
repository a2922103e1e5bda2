import type { Demo } from '../src/site/demo.ts'

/** A demo for tests: the headers of the response show how the request was parsed, also to HEAD. */
export const mirror: Demo = {
  name: 'mirror',
  title: 'Mirror',
  summary: 'Shows how a request was parsed.',
  links: [],
  routes: (_, { supportedMethods }) => [
    {
      method: supportedMethods,
      url: '/mirror',
      summary: 'Show how the request was parsed',
      example: 'seen\n',
      handler: ({ method, query, body }, reply) =>
        reply
          .header('x-method', method)
          .header('x-query', toHeader(query))
          .header('x-body', toHeader(body))
          .type('text/plain; charset=utf-8')
          .send('seen\n'),
    },
  ],
}

/** JSON in ASCII, since a header may carry nothing else. */
function toHeader(value: unknown): string {
  if (value === undefined) return 'absent'
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
