import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { catalogueApp, type TestApp } from '../../test/support/test-app.ts'

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; requestBody?: Body }>>
  components: { schemas: Record<string, { properties?: object }> }
}

interface Body {
  content: Record<string, { schema: { $ref: string } }>
}

const readDocument = async (app: TestApp) => (await app.inject('/openapi.json')).json<OpenApi>()

const groups = [
  ['user-groups', 'userGroups', 'user_groups', 'UserGroups', 'users-groups'],
  ['a.b', 'a@b', "a'b", 'a b', 'a_32b', 'aB', 'AB'],
  ['作品', 'E4BD9C', '作', 'é'],
  ['user', 'login', 'me', 'users-new', 'users-id', 'httpbin-get', 'docs-operation-id'],
  ['post', 'posts', 'Post', 'postInput', 'post-inputs', 'postPart', 'postChanges', 'post_'],
  ['problem', 'problem_', 'envelope', 'jsonPatch', 'responseSequence', 'newPosts', 'userInput'],
]

for (const names of groups) {
  test(`operations and schemas of ${names.join(', ')} have names of their own`, async (t) => {
    // Each has a field of its own, by which its schema is known.
    const entries = names.map((name, index) => [name, [{ id: 1, [`field${String(index)}`]: 'a' }]])
    const app = await dataApp(t, Object.fromEntries(entries))
    const { paths, components } = await readDocument(app)
    const operations = Object.values(paths).flatMap((path) => Object.values(path))
    const ids = operations.map(({ operationId }) => operationId)
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
    for (const id of ids) assert.equal((await app.inject(`/docs/${id}`)).statusCode, 200, id)
    const used = names.map((name, index) => {
      const post = paths[`/${encodeURIComponent(name)}`]?.post
      const { $ref = '' } = post?.requestBody?.content['application/json']?.schema ?? {}
      const schema = components.schemas[$ref.slice('#/components/schemas/'.length)]
      assert.deepEqual(Object.keys(schema?.properties ?? {}), [`field${String(index)}`], name)
      return $ref
    })
    assert.equal(new Set(used).size, names.length)
  })
}

test('no resource replaces a schema of the service', async (t) => {
  const { components: before } = await readDocument(await catalogueApp(t))
  const names = Object.keys(before.schemas).map(
    (name) => name.charAt(0).toLowerCase() + name.slice(1),
  )
  const data = Object.fromEntries(names.map((name) => [name, [{ id: 1, own: 'a' }]]))
  const { components } = await readDocument(await dataApp(t, data))
  for (const [name, schema] of Object.entries(before.schemas))
    if (components.schemas[name]) assert.deepEqual(components.schemas[name], schema, name)
})

test('the page of a resource links the operations of its own routes', async (t) => {
  const app = await dataApp(t, { 'user-groups': [{ id: 1 }], userGroups: [{ id: 1 }] })
  const { paths } = await readDocument(app)
  for (const name of ['user-groups', 'userGroups']) {
    const { body } = await app.inject({ url: `/demos/${name}`, headers: { accept: 'text/html' } })
    assert.ok(body.includes(`"/docs/${paths[`/${name}`]?.get?.operationId ?? ''}"`))
  }
})
