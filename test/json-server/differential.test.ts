import fc from 'fast-check'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { projectFolder } from '../support/start-vitrine.ts'
import { data } from './data.ts'
import { differences, findDifference } from './differences.ts'
import { startOurs } from './ours.ts'
import { reads, writes } from './requests.ts'
import { sendComparable, type Side } from './send-both.ts'
import { startJsonServer } from './servers.ts'
import type { SentRequest, Version } from './types.ts'

const seed = Number(process.env.SEED ?? 1)
const numRuns = Number(process.env.RUNS ?? 1000)
const versions = ['0.17', '1'] as const

for (const version of versions) {
  test(`generated reads have the responses of json-server ${version}`, async (t) => {
    const sample = fc.sample(reads(version), { seed, numRuns })
    const found = await compareAll(t, version, sample)
    // The generator reaches what this is about.
    assert.ok(found.none > numRuns / 2)
  })

  test(`generated sequences of writes have the responses of json-server ${version}`, async (t) => {
    const request = fc.oneof({ weight: 2, arbitrary: writes(version) }, reads(version))
    const all = Object.keys(data).map((name) => ({ method: 'GET', target: `/${name}` }))
    const found = await compareAll(t, version, [...fc.sample(request, { seed, numRuns }), ...all])
    assert.ok(found.none > numRuns / 2)
  })
}

async function compareAll(t: TestContext, version: Version, requests: readonly SentRequest[]) {
  const origins = [startJsonServer(t, version, { data }), startOurs(t, version, { data })]
  const [theirs = '', ours = ''] = await Promise.all(origins)
  const sides: [Side, Side] = [
    { origin: theirs, created: [] },
    { origin: ours, created: [] },
  ]
  const counts: Record<string, number> = {}
  for (const sent of requests) {
    const [expected, actual] = await Promise.all([
      sendComparable(sides[0], sent),
      sendComparable(sides[1], sent),
    ])
    const name = findDifference(version, { sent, theirs: expected, ours: actual })
    if (name === undefined) assert.deepEqual(actual, expected, JSON.stringify(sent))
    else counts[name] = (counts[name] ?? 0) + 1
  }
  t.diagnostic(`${String(requests.length)} requests: ${JSON.stringify(counts)}`)
  return { none: 0, ...counts }
}

test('docs/json-server.md has each difference that the generated requests show', () => {
  const text = readFileSync(join(projectFolder, 'docs', 'json-server.md'), 'utf8')
  for (const name of Object.keys(differences)) assert.ok(text.includes(`| ${name} |`), name)
})
