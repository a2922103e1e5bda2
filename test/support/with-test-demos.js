// `node --import ./test/support/with-test-demos.js bin/vitrine.js` starts the service with the demos of the tests.
import './compile-cache.js'
const { demos } = await import('../../src/demos/catalogue.ts')
const { testDemos } = await import('./test-demos.ts')
demos.push(...testDemos)
