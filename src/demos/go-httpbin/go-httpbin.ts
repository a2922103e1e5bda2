import { toDialectDemo } from '../../httpbin/dialect-demo.ts'
import { goHttpbin as dialect } from '../../httpbin/dialects/go-httpbin.ts'

export const goHttpbin = toDialectDemo(dialect, {
  title: 'go-httpbin',
  summary: 'Responds as go-httpbin, the Go service, at each of its endpoints.',
  samples: [
    { title: 'A request as JSON', method: 'GET', path: '/go-httpbin/get', fields: { name: 'Ann' } },
  ],
  lookFor:
    'Test suites that were written for go-httpbin can use this URL in its place. `args` and `headers` have a list for each name.',
})
