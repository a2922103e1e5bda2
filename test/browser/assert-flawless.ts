import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { findFlaws, type Mode } from './look.ts'

/** An address, or an address and the fields that a form without script posts to it. */
export type Way = string | readonly [action: string, fields: Readonly<Record<string, string>>]

/** Checks the page at the end of each path, and fails with the list of all defects. */
export async function assertFlawless(page: Page, ways: readonly Way[], modes?: readonly Mode[]) {
  const found: string[] = []
  for (const way of ways) {
    const flaws = await findFlaws(page, () => goBy(page, way), modes)
    found.push(...flaws.map((flaw) => `${JSON.stringify(way)} ${flaw}`))
  }
  assert.deepEqual(found, [])
}

/** Opens the page, and returns its status code. */
export async function goBy(page: Page, way: Way): Promise<number | undefined> {
  if (typeof way === 'string') return (await page.goto(way))?.status()
  await page.goto('/inspector')
  const completed = page.waitForResponse((response) => response.request().isNavigationRequest())
  await page.evaluate(postForm(...way))
  const response = await completed
  await response.finished()
  return response.status()
}

/** For the page: the tests are checked without the types of a browser. */
function postForm(action: string, fields: Readonly<Record<string, string>>): string {
  return `{
    const form = document.createElement('form')
    form.method = 'post'
    form.action = ${JSON.stringify(action)}
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      const input = document.createElement('input')
      Object.assign(input, { type: 'hidden', name, value })
      form.append(input)
    }
    document.body.append(form)
    form.submit()
  }`
}
