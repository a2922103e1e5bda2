// `node --import ./test/with-mirror.ts bin/vitrine.js` starts the service with the demo of the tests.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// As bin/vitrine.js does, which is too late for these modules.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vitrine', import.meta.url)))
const { demos } = await import('../src/demos/catalogue.ts')
const { mirror } = await import('./mirror.ts')
;(demos as (typeof mirror)[]).push(mirror)
