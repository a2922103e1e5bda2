// Each file of tests is a process of its own: without the cache, each strips the types of the whole service.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vitrine', import.meta.url)))
