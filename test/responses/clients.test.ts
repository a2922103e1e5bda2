import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startVitrine } from '../support/start-vitrine.ts'
import { npmClients, observe, scenarios } from './clients.ts'

const mismatch = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
const done = '200 (3)'

/** The outcome and the number of requests, by the title of the scenario: fetch, undici, got. */
const expected: Readonly<Record<string, readonly [string, string, string]>> = {
  '503': ['503 (1)', done, done],
  '503 with `Retry-After: 1`': ['503 (1)', done, done],
  '429 with `Retry-After: 1`': ['429 (1)', done, done],
  '500': ['500 (1)', done, done],
  '`reset-before-head`': ['ECONNRESET (1)', done, done],
  '`close-before-head`': ['UND_ERR_SOCKET (1)', done, done],
  '`reset-in-head`': ['ECONNRESET (1)', done, done],
  '`short-body`': [`${mismatch} (1)`, `${mismatch} (1)`, 'ERR_HTTP_CONTENT_LENGTH_MISMATCH (1)'],
  '`bad-chunk`': ['HTTPParserError (1)', '200 (2)', 'HPE_INVALID_CHUNK_SIZE (1)'],
  '`garbage`': ['HTTPParserError (1)', done, 'HPE_INVALID_CONSTANT (1)'],
  '`duplicate-length`': [`${mismatch} (1)`, `${mismatch} (1)`, 'HPE_UNEXPECTED_CONTENT_LENGTH (1)'],
}

test('clients of npm retry as they document it', async (t) => {
  const { origin } = await startVitrine(t)
  const rows = scenarios.flatMap((scenario) =>
    Object.entries(npmClients).map(([name, client], index) => {
      const wanted = expected[scenario.title]?.[index]
      return {
        title: `${name} gets ${String(wanted)} after two responses with ${scenario.title}`,
        scenario,
        client,
        wanted,
      }
    }),
  )
  const tests = rows
    .filter(({ wanted }) => wanted !== undefined)
    .map(({ title, scenario, client, wanted }) =>
      t.test(title, async () => {
        const { outcome, requests } = await observe(origin, client, scenario)
        assert.equal(`${outcome} (${String(requests)})`, wanted)
      }),
    )
  await Promise.all(tests)
})
