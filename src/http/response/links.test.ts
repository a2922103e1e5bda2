import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLinkField, toPageLinks } from './links.ts'

const pages: [number: number, total: number, links: string][] = [
  [1, 0, 'first=1 last=1'],
  [1, 10, 'first=1 last=1'],
  [1, 11, 'first=1 next=2 last=2'],
  [2, 11, 'first=1 prev=1 last=2'],
  [2, 30, 'first=1 prev=1 next=3 last=3'],
  [3, 30, 'first=1 prev=2 last=3'],
  [9, 30, 'first=1 prev=3 last=3'],
  [9, 0, 'first=1 prev=1 last=1'],
]

for (const [number, total, expected] of pages) {
  test(`page ${String(number)} of ${String(total)} items, ten on each, has ${expected}`, () => {
    const links = toPageLinks(
      { number, size: 10, total },
      String,
      number * 10 < total ? String : undefined,
    )
    assert.equal(links.map(({ rel, href }) => `${rel}=${href}`).join(' '), expected)
  })
}

test('all links are in one Link field', () => {
  const toHref = (page: number) => `/a?page=${String(page)}`
  const links = toPageLinks(
    { number: 1, size: 1, total: 2 },
    toHref,
    (page) => `${toHref(page)}&after=x`,
  )
  assert.equal(
    toLinkField(links),
    '</a?page=1>; rel="first", </a?page=2&after=x>; rel="next", </a?page=2>; rel="last"',
  )
})
