// `node --import ./test/with-test-demos.ts bin/vitrine.js` starts the service with the demos of the tests.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// As bin/vitrine.js does, which is too late for these modules.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vitrine', import.meta.url)))
const { demos } = await import('../src/demos/catalogue.ts')
const { testDemos } = await import('./test-demos.ts')
;(demos as (typeof testDemos)[number][]).push(...testDemos)
