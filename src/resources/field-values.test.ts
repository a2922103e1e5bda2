import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLower, toTitle } from './field-values.ts'

const titles: [name: string, title: string, inSentence: string][] = [
  ['id', 'ID', 'ID'],
  ['userId', 'User ID', 'user ID'],
  ['user_ids', 'User IDs', 'user IDs'],
  ['userIDs', 'User IDs', 'user IDs'],
  ['imageUrl', 'Image URL', 'image URL'],
  ['imageURL', 'Image URL', 'image URL'],
  ['URLPath', 'URL path', 'URL path'],
  ['html-body', 'HTML body', 'HTML body'],
  ['httpsOnly', 'HTTPS only', 'HTTPS only'],
  ['apiKeys', 'API keys', 'API keys'],
  ['ip', 'IP', 'IP'],
  ['guid', 'Guid', 'guid'],
  ['idea', 'Idea', 'idea'],
  ['video', 'Video', 'video'],
  ['blogPosts', 'Blog posts', 'blog posts'],
  ['_', '_', '_'],
]

for (const [name, title, inSentence] of titles) {
  test(`the field ${name} has the label ${title}`, () => {
    assert.equal(toTitle(name), title)
    assert.equal(toLower(title), inSentence)
  })
}
