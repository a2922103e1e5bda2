#!/usr/bin/env -S node --min-semi-space-size=4 --max-semi-space-size=4 --no-parallel-scavenge
// Plain JavaScript that an old Node can read too, so that it can say what is wrong in one line.
import { existsSync } from 'node:fs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 7)) {
  console.error(`Vitrine needs Node 24.7 or newer; this is Node ${process.versions.node}.`)
  process.exitCode = 2
} else {
  await rememberCompiling()
  await keepHeapSmall()
  // A package has no sources, which Node would not run under node_modules. Where there are some, they
  // are what runs, whatever an older `npm pack` has left beside them.
  const hasSources = existsSync(new URL('../src/main.ts', import.meta.url))
  await (hasSources ? import('../src/main.ts') : import('../dist/main.js'))
}

/**
 * What Node makes of the sources is kept for the next start, which takes half as long. In a folder of
 * our own: what lies in a common one might come from somebody else. In a package that is below its own
 * folder, where nobody may write who may not change the code as well, and which goes when the package
 * goes. Where we may not write either, as in an image, Node reads what is there, or does without.
 */
async function rememberCompiling() {
  const { enableCompileCache } = await import('node:module')
  const { fileURLToPath } = await import('node:url')
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vitrine', import.meta.url)))
}

/**
 * Left alone, V8 answers the short-lived garbage of a long list with a heap of a hundred megabytes
 * more. The flags above do the same for the young generation, which cannot be told later. Collecting so
 * little on several threads takes longer than on one, for the talk between them.
 */
async function keepHeapSmall() {
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--semi-space-growth-factor=1')
  // Doubled between two collections, since the bytes of an upload count as well: at a tenth, marking
  // this heap time and again took a quarter of the time of 100 MiB. Lists need no less for it.
  setFlagsFromString('--heap-growing-percent=100')
}
