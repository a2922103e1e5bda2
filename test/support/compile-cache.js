// Each file of tests is a process of its own: without the cache, each strips the types of the whole service.
// JavaScript, so that Node does not load its support of TypeScript for this file alone.
import { enableCompileCache } from 'node:module'
import { fileURLToPath, URL } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/vitrine', import.meta.url)))
