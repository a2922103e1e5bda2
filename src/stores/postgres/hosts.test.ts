import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHostUrls } from './hosts.ts'

const urls: Record<string, string[]> = {
  'postgres://one/name': ['postgres://one/name'],
  'postgresql://ann:a%40b@one:1,two:2,three/name?sslmode=disable#x': [
    'postgresql://ann:a%40b@one:1/name?sslmode=disable#x',
    'postgresql://ann:a%40b@two:2/name?sslmode=disable#x',
    'postgresql://ann:a%40b@three/name?sslmode=disable#x',
  ],
  'postgres://a,b@c@[::1]:5,[::2]': ['postgres://a,b@c@[::1]:5', 'postgres://a,b@c@[::2]'],
  'postgres:///name?host=/tmp/a,b': ['postgres:///name?host=/tmp/a,b'],
  'postgres://%2Ftmp%2Fa,%2Ftmp%2Fb?options=-c%20x': [
    'postgres://%2Ftmp%2Fa?options=-c%20x',
    'postgres://%2Ftmp%2Fb?options=-c%20x',
  ],
}

for (const [url, expected] of Object.entries(urls)) {
  test(`the hosts of ${url} each have a URL`, () => {
    assert.deepEqual(toHostUrls(url), expected)
  })
}
