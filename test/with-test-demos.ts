// `node --import ./test/with-test-demos.ts bin/vitrine.js` starts the service with the demos of the tests.
import './compile-cache.ts'
const { demos } = await import('../src/demos/catalogue.ts')
const { testDemos } = await import('./test-demos.ts')
;(demos as (typeof testDemos)[number][]).push(...testDemos)
