import { toDialectDemo } from '../../httpbin/dialect-demo.ts'
import { httpbin as dialect } from '../../httpbin/dialects/httpbin.ts'

export const httpbin = toDialectDemo(dialect, {
  title: 'httpbin',
  summary: 'Responds as httpbin, the Python service, at each of its endpoints.',
  samples: [
    { title: 'A request as JSON', method: 'GET', path: '/httpbin/get', fields: { name: 'Ann' } },
  ],
  lookFor:
    'Test suites that were written for httpbin can use this URL in its place. `args` and `headers` have one text for each name, or a list if a parameter is repeated.',
})
