#!/usr/bin/env node
// Plain JavaScript that an old Node can read too, so that it can say what is wrong in one line.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 7)) {
  console.error(`Vitrine needs Node 24.7 or newer; this is Node ${process.versions.node}.`)
  process.exitCode = 2
} else {
  await import('../src/main.ts')
}
