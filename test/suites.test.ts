import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { projectFolder } from './support/start-vitrine.ts'
import packageJson from '../package.json' with { type: 'json' }

test('every test file is in a suite of package.json', () => {
  const scripts = Object.values(packageJson.scripts)
  const patterns = scripts.flatMap((script) => script.match(/[\w/*-]+\.test\.ts/g) ?? [])
  const inSuites = new Set(globSync(patterns, { cwd: projectFolder }))
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: projectFolder })
  assert.ok(all.length > 100)
  assert.deepEqual(
    all.filter((file) => !inSuites.has(file)),
    [],
  )
})
