// Each file of tests is a process of its own: without the cache, each strips the types of the whole service.
// Not TypeScript: Node would load what strips types, although the cache has everything else without them.
import { enableCompileCache } from 'node:module'
import { fileURLToPath, URL } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vitrine', import.meta.url)))
