import type { Demo } from '../src/site/demo.ts'

/** A room that says back how its request was understood, to a HEAD too: all is in the headers. */
export const mirror: Demo = {
  name: 'mirror',
  title: 'Mirror',
  summary: 'How a request was understood.',
  links: [],
  open: (app) => {
    app.all('/mirror', ({ method, query, body }, reply) =>
      reply
        .header('x-method', method)
        .header('x-query', toHeader(query))
        .header('x-body', toHeader(body))
        .type('text/plain; charset=utf-8')
        .send('seen\n'),
    )
  },
}

/** As JSON in ASCII, which is all that a header can be relied on to carry. */
function toHeader(value: unknown): string {
  if (value === undefined) return 'absent'
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
