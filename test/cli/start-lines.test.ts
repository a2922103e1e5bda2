import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { failedStart } from '../support/failed-start.ts'
import { until } from '../support/until.ts'
import { blog, read, start } from './start-data-file.ts'

test('the demos that lose paths are in one line', async (t) => {
  const file = await dataFile(t, { ...blog, users: [] })
  const { output } = await start(t, {}, file, '--fresh')
  const line = /^The data file serves paths of demos: users is off; .*; uploads has no \/profile$/m
  assert.match(output(), line)
  assert.equal(output().match(/uploads/g)?.length, 1)
})

test('the start names inferred references to records that the file does not have', async (t) => {
  const posts = [
    { id: 1, authorId: 7 },
    { id: 2, authorId: 1 },
  ]
  const file = await dataFile(t, { posts, authors: [{ id: 1 }] })
  const { output } = await start(t, {}, file, '--fresh')
  assert.match(
    output(),
    /^authorId of 1 record of posts is not an id of authors: \/posts\/0\/authorId$/m,
  )
})

for (const [dialect, isNamed] of [
  ['1', true],
  ['0.17', false],
] as const)
  test(`with json-server ${dialect}, references that are numbers are ${isNamed ? 'named' : 'usual'}`, async (t) => {
    const file = await dataFile(t, {
      posts: [{ id: '1', authorId: 'a', editor_id: 2, profileId: 1 }],
      authors: [{ id: 'a' }],
      editors: [{ id: 2 }],
      comments: [
        { id: 1, postId: '1', otherId: 1 },
        { id: 2, postId: 1, otherId: 2 },
      ],
      profile: { name: 'Ada' },
    })
    const { output } = await start(t, { JSON_SERVER: dialect }, file, '--fresh')
    const lines = output().match(/^.*ids are text.*$/gm) ?? []
    const named =
      'editor_id of posts, postId of comments have numbers: ids are text in json-server 1, so numbers refer to no record'
    assert.deepEqual(lines, isNamed ? [named] : [])
  })

test('the start names fields and types that few records have', async (t) => {
  const soldOn = (index: number) => (index === 2 ? '2026-13-45' : '2026-11-22')
  const note = (index: number) => (index === 2 ? 'https://example.org' : 'a note')
  const products = Array.from({ length: 8 }, (_, index) => {
    return { id: index, price: 1, size: 'S', soldOn: soldOn(index), note: note(index) }
  })
  const typed = products.map((product, index) => (index === 3 ? { ...product, size: 4 } : product))
  const misspelt = typed.map(({ price, ...others }, index) =>
    index === 5 ? { ...others, prcie: price } : { ...others, price },
  )
  Object.assign(misspelt[7] ?? {}, { sizes: 'S, M' })
  const file = await dataFile(t, { products: misspelt })
  const { output } = await start(t, {}, file, '--fresh')
  assert.match(
    output(),
    /^prcie occurs in 1 of 8 records of products: did you mean price\? \/products\/5\/prcie$/m,
  )
  assert.match(
    output(),
    /^size is a number in 1 record of products, and text in 7: \/products\/3\/size$/m,
  )
  assert.match(
    output(),
    /^soldOn is text in 1 record of products, and a date in 7: \/products\/2\/soldOn$/m,
  )
  assert.doesNotMatch(output(), /sizes|note/)
  const { output: usual } = await start(t, {}, await dataFile(t, blog), '--fresh')
  assert.doesNotMatch(usual(), /did you mean|in \d+ records? of/m)
})

test('lines about odd data name the number and at most 20 places', async (t) => {
  const posts = Array.from({ length: 200 }, (_, id) => {
    const title = id < 25 ? id : 'a'
    return {
      id,
      title,
      ...(id < 2 ? { contnet: 'a' } : { content: 'a' }),
      authorId: id < 21 ? 9 : 1,
    }
  })
  const file = await dataFile(t, { posts, authors: [{ id: 1 }] })
  const { output } = await start(t, {}, file, '--fresh')
  const places = (field: string, count: number) =>
    Array.from({ length: count }, (_, index) => `/posts/${String(index)}/${field}`).join(', ')
  for (const line of [
    `authorId of 21 records of posts is not an id of authors: ${places('authorId', 20)} and 1 more`,
    `title is a number in 25 records of posts, and text in 175: ${places('title', 20)} and 5 more`,
    `contnet occurs in 2 of 200 records of posts: did you mean content? ${places('contnet', 2)}`,
  ])
    assert.ok(output().includes(`${line}\n`), line)
})

test('the start lists the URLs of the resources, at most 20', async (t) => {
  const names = Array.from({ length: 22 }, (_, index) => `my ${String(index)}`)
  const file = await dataFile(t, Object.fromEntries(names.map((name) => [name, []])))
  const { origin, output } = await start(t, {}, file, '--fresh')
  await until(() => output().includes('more'))
  const listed = names.slice(0, 20).map((name) => `  ${origin}/${encodeURIComponent(name)}`)
  const lines = output().split('\n')
  assert.deepEqual(
    lines.filter((line) => line.startsWith('  ')),
    [...listed, `  and 2 more: see ${origin}/docs`],
  )
})

const others = {
  'openapi.json': ['{"openapi":"3.1.0","paths":{}}', 'an OpenAPI document'],
  'swagger.yaml': ['swagger: "2.0"\npaths: {}\n', 'an OpenAPI document'],
} as const

for (const [name, [contents, kind]] of Object.entries(others)) {
  test(`a line says that ${name} is ${kind}`, async (t) => {
    const file = await dataFile(t, contents, name)
    const { output } = await start(t, {}, file, '--fresh')
    assert.ok(output().includes(`${file} is ${kind}: its members are served as data`), output())
  })
}

test('a program as the data file stops the start with the command that writes its data', async (t) => {
  const program = 'module.exports = () => ({ posts: [{ id: 1 }] })'
  const file = await dataFile(t, program, 'db.js')
  const { status, lines } = await failedStart(t, {}, [file])
  assert.equal(status, 2)
  const [, command = ''] = / to a file: (node -e ".*") > db\.json$/.exec(lines.join('\n')) ?? []
  assert.deepEqual(JSON.parse(execSync(command, { encoding: 'utf8' })), { posts: [{ id: 1 }] })
})

for (const value of ['3.1.0', [{ id: 1 }], { version: 1 }])
  test(`/openapi.json stays the document beside the member openapi: ${JSON.stringify(value)}`, async (t) => {
    const { origin } = await start(t, {}, await dataFile(t, { openapi: value }), '--fresh')
    assert.deepEqual(await read(`${origin}/openapi`), value)
    assert.ok('paths' in ((await read(`${origin}/openapi.json`)) as object))
  })
