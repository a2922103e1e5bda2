// What `import 'vitrine'` loads. A static import of the service would fail in old versions of Node without a reason,
// and with a top-level await `require('vitrine')` would fail.
import { createRequire } from 'node:module'
import { nodeProblem } from './node-version.js'

if (nodeProblem) throw new Error(nodeProblem)

export const { buildApp } = createRequire(import.meta.url)('../dist/embed.js')
