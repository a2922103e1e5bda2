import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { enter } from '../support/sign-in.ts'
import { upload } from '../support/uploads.ts'
import { formPages, openSite, type Site } from './site.ts'

const longWord = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch'

/** A site with records for two pages of a list, an upload, and a visitor who is logged in. */
export async function openFilledSite(t: TestContext) {
  const site = await openSite(t)
  await fill(site, 25)
  await upload(site.app, 'content')
  const { _id, cookie } = await enter(site.app)
  const page = await site.visit()
  await logIn(page, cookie, site.origin)
  const { headers } = await site.app.inject({ url: '/users', headers: { accept: 'text/html' } })
  const exchange = `/inspector/${String(headers['x-request-id'])}`
  // First, because the service only keeps the latest exchanges.
  const paths = [exchange, ...(await listPages(site)), `/users/${_id}`]
  return { ...site, page, paths, exchange }
}

async function fill({ app }: Site, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const name =
      number === 1 ? longWord : number === 2 ? 'مقهى على البحر' : `Pier ${String(number)}`
    const latitude = ((number * 37) % 160) - 80
    const location = { name, latitude, longitude: ((number * 71) % 360) - 180, note: longWord }
    await app.inject({ method: 'PUT', url: `/locations/r${String(number)}`, payload: location })
  }
}

async function logIn(page: Page, cookie: string, url: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url }])
}

/** The pages of the navigation, and those that it does not list. */
export async function listPages({ app }: Site): Promise<string[]> {
  const { body } = await app.inject('/')
  const [nav = ''] = /<nav class="site-nav"[^]*?<\/nav>/.exec(body) ?? []
  const listed = [...nav.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href)
  return [...listed, ...others]
}

const others = [
  ...['/login', '/users/new', '/locations/new', ...formPages],
  ...['/locations/r1', '/locations/r1/edit', '/locations/r2', '/locations?page=2&per_page=10'],
  ...['/locations?q=r&sort=-name', '/locations?q=nothing', '/problems/precondition-failed'],
  ...['/learn/concurrent-edits', '/learn/cross-site-requests'],
]

/** Pages that together have every component. */
export const components = [
  ...[
    '/',
    '/demos/status',
    '/docs',
    '/responses',
    '/learn/concurrent-edits',
    '/session',
    '/uploads',
  ],
  ...['/profile.html', '/problems/precondition-failed', '/users/new'],
  ...['/locations/r1', '/locations?page=2&per_page=10'],
]
