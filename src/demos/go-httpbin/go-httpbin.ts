import { toDialectDemo } from '../../httpbin/dialect-demo.ts'
import { goHttpbin as dialect } from '../../httpbin/dialects/go-httpbin.ts'
import { html } from '../../site/html.ts'

export const goHttpbin = toDialectDemo(dialect, {
  title: 'go-httpbin',
  summary: 'Responds as go-httpbin, the Go service, at each of its endpoints.',
  samples: [
    { title: 'A request as JSON', method: 'GET', path: '/go-httpbin/get', fields: { name: 'Ann' } },
  ],
  lookFor: html`Test suites that were written for go-httpbin can use this URL in its place. <code>args</code> and
<code>headers</code> have a list for each name.`,
})
