#!/usr/bin/env -S node --min-semi-space-size=4 --max-semi-space-size=4 --no-parallel-scavenge
// Plain JavaScript without recent syntax, so that old versions of Node can print the error.
import { existsSync } from 'node:fs'
import { nodeProblem } from './node-version.js'

if (nodeProblem) {
  console.error(nodeProblem)
  process.exitCode = 2
} else {
  // A package has no sources. A repository may have an outdated dist folder from `npm pack`.
  const hasSources = existsSync(new URL('../src/main.ts', import.meta.url))
  await cacheCompiledCode(hasSources ? '../node_modules/.cache/vitrine' : '../.cache')
  await limitHeapGrowth()
  const main = hasSources ? import('../src/main.ts') : import('../dist/main.js')
  await main.catch(explainMissingModule)
}

/** Git has no compiled code, and npm installs neither the sources nor what builds them from there. */
function explainMissingModule(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error(`${error.message}
This copy of Vitrine was not built. Run "npm ci && npm pack" in a clone of the repository, and install the file that this writes, vitrine-*.tgz. To run the clone itself, "npm ci" is enough.`)
  process.exitCode = 2
}

/**
 * Halves the time of the next start. Not in a shared folder, where another user could plant code, and not in
 * a folder `node_modules` of the package, whose dependencies are not found if it cannot be read.
 * Without write permission, as in an image, Node only reads the cache.
 */
async function cacheCompiledCode(folder) {
  const { enableCompileCache } = await import('node:module')
  const { fileURLToPath } = await import('node:url')
  enableCompileCache(fileURLToPath(new URL(folder, import.meta.url)))
}

/** By default, V8 lets the garbage of a long list grow the heap by 100 MB. See also the flags above. */
async function limitHeapGrowth() {
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--semi-space-growth-factor=1')
  // Upload buffers count as well: with a smaller value, large uploads spend their time in the GC.
  setFlagsFromString('--heap-growing-percent=100')
}
