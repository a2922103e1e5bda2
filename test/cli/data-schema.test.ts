import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { failedStart } from '../support/failed-start.ts'
import { settingsIn, temporaryFolder } from '../support/start-vitrine.ts'
import { read, start } from './start-data-file.ts'

const schema = { posts: { properties: { title: { minLength: 3 }, tags: { type: 'array' } } } }
const longer = {
  ...schema,
  tags: { properties: {} },
  posts: { required: ['title'], properties: { title: { minLength: 9 } } },
}

async function post(origin: string, title: string, path = 'posts'): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ title })
  return (await fetch(`${origin}/${path}`, { method: 'POST', headers, body })).status
}

test('a schema that is given, changed or left out later applies to new records, and the stored ones are kept', async (t) => {
  const file = await dataFile(t, { posts: [{ id: 1, title: 'A long title' }] })
  const schemaFile = await dataFile(t, schema, 'schema.json')
  const settings = settingsIn(await temporaryFolder(t))
  const without = await start(t, settings, file)
  assert.equal(await post(without.origin, 'a'), 201)
  await without.stop()

  const withSchema = await start(t, settings, file, '--schema', schemaFile)
  assert.match(
    withSchema.output(),
    /^The schema has changed: .*\. 1 record of before does not fit it: \/posts\/2\/title$/m,
  )
  assert.doesNotMatch(withSchema.output(), /db\.json .*has changed/)
  assert.equal(await post(withSchema.origin, 'a'), 422)
  assert.equal(await post(withSchema.origin, 'abc'), 201)
  assert.equal((await fetch(`${withSchema.origin}/posts/2`)).status, 200)
  await withSchema.stop()

  await writeFile(schemaFile, JSON.stringify(longer))
  const changed = await start(t, settings, file, '--schema', schemaFile)
  assert.match(
    changed.output(),
    /2 records of before do not fit it: \/posts\/2\/title, \/posts\/3\/title$/m,
  )
  assert.equal(await post(changed.origin, 'abc'), 422)
  assert.equal(await post(changed.origin, 'a', 'tags'), 201)
  await changed.stop()

  const again = await start(t, settings, file)
  assert.match(again.output(), /^The schema has changed: /m)
  assert.equal(await post(again.origin, 'a'), 201)
  // Its resource is only in the schema of before.
  assert.equal(((await read(`${again.origin}/tags`)) as unknown[]).length, 1)
  await again.stop()
  const last = await start(t, settings, file)
  assert.doesNotMatch(last.output(), /changed/)
})

test('a schema and responses are applied at each start, whatever the records of the file are', async (t) => {
  const first = { posts: [{ id: 1, title: 'A long title' }] }
  const file = await dataFile(t, first)
  const settings = settingsIn(await temporaryFolder(t))
  await (await start(t, settings, file)).stop()
  const $responses = { 'GET /late': { json: 1 } }
  const posts = [{ id: 1, title: 'a' }]
  for (const [contents, path] of [
    [{ ...first, $schema: longer, $responses }, ''],
    [{ posts, $schema: longer, $responses }, 'The records in'],
  ] as const) {
    await writeFile(file, JSON.stringify(contents))
    const { origin, output, stop } = await start(t, settings, file)
    assert.equal(output().includes('The records in'), path !== '')
    assert.equal(await post(origin, 'abc'), 422)
    assert.equal(await read(`${origin}/late`), 1)
    assert.deepEqual(await read(`${origin}/posts`), first.posts)
    await stop()
  }
  const other = await dataFile(t, { posts: { properties: { title: { maxLength: 2 } } } }, 's.json')
  const changed = await start(t, settings, file, '--schema', other)
  assert.match(changed.output(), /does not fit it: \/posts\/1\/title$/m)
  assert.equal(await post(changed.origin, 'abc'), 422)
  assert.equal(await post(changed.origin, 'ab'), 201)
  await changed.stop()
  // The records that are in the file now are checked only if they are loaded.
  await writeFile(file, JSON.stringify(first))
  await (await start(t, settings, file, '--schema', other)).stop()
  await writeFile(other, '{"posts": 1}')
  const { lines } = await failedStart(t, settings, [file, '--schema', other])
  assert.match(lines.join(), /s\.json: \/posts /)
})

test('a schema with another write-only field needs --reload', async (t) => {
  const file = await dataFile(t, { posts: [{ id: 1, token: 'glass' }] })
  const secret = { posts: { properties: { token: { type: 'string', writeOnly: true } } } }
  const flags = [file, '--schema', await dataFile(t, secret, 'schema.json')]
  const settings = settingsIn(await temporaryFolder(t))
  await (await start(t, settings, file)).stop()
  const { status, lines } = await failedStart(t, settings, flags)
  assert.equal(status, 2)
  assert.match(lines.join(), /the schema changes whether \/posts\/token is writeOnly.*--reload/)
  const { origin } = await start(t, settings, ...flags, '--reload')
  assert.deepEqual(await read(`${origin}/posts`), [{ id: 1 }])
})

const damages = {
  'is empty': `'{}'`,
  'has a definition without a schema': `json_remove(document, '$.definitions[0].schema')`,
  'has inferred fields that are no object': `json_set(document, '$.inferred[0].fields', 1)`,
}
for (const [damage, document] of Object.entries(damages))
  test(`a record of the load that ${damage} is named, and the service does not start`, async (t) => {
    const file = await dataFile(t, { posts: [{ id: 1, title: 'A' }] })
    const folder = await temporaryFolder(t)
    const settings = { ...settingsIn(folder), DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
    await (await start(t, settings, file)).stop()
    using database = new DatabaseSync(join(folder, 'a.db'))
    database.exec(`UPDATE records SET document = ${document} WHERE resource = '~data-file'`)
    const { status, output } = await failedStart(t, settings, [file])
    assert.equal(status, 2)
    assert.match(output, /cannot start: the database has a damaged record load in ~data-file/)
  })
