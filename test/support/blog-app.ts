import type { TestContext } from 'node:test'
import { dataApp } from './data-app.ts'
import type { TestApp } from './test-app.ts'

export const blog = {
  posts: [
    { id: 1, title: 'One', authorId: 'ann' },
    { id: 2, title: 'Two', authorId: 'ann' },
  ],
  authors: [{ id: 'ann', name: 'Ann' }],
  settings: { theme: 'dark' },
}
export const settings = { TEST_API: 'on' }
export const openBlog = (t: TestContext, more: Record<string, string> = {}) =>
  dataApp(t, blog, { settings: { ...settings, ...more } })

export async function send(
  app: TestApp,
  method: 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) {
  return app.inject({ method, url, ...(payload && { payload }) })
}

export async function readAll(app: TestApp): Promise<unknown> {
  const values = ['/posts', '/authors', '/settings'].map(async (url): Promise<unknown> =>
    (await app.inject(url)).json(),
  )
  return Promise.all(values)
}

export const atStart = [blog.posts, blog.authors, blog.settings]

export async function changeAll(app: TestApp): Promise<void> {
  await send(app, 'DELETE', '/posts/1')
  await send(app, 'POST', '/posts', { title: 'Three', authorId: 'ann' })
  await send(app, 'PATCH', '/authors/ann', { name: 'Anna' })
  await send(app, 'PATCH', '/settings', { theme: 'light' })
}

/** The numbers of records that the lists of these paths have. */
export async function countAll(app: TestApp, paths: readonly string[]): Promise<number[]> {
  const toCount = async (url: string) => {
    const response = await app.inject({ url, headers: { accept: 'application/json' } })
    return response.json<unknown[]>().length
  }
  return Promise.all(paths.map(toCount))
}
