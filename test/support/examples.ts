import { createRecord } from './resources.ts'
import { ann } from './sign-in.ts'
import type { TestApp } from './test-app.ts'
import { upload } from './uploads.ts'

/** Creates something in each list that the app has, and returns the ids by the URL of the list. */
export async function createExamples(app: TestApp): Promise<Record<string, string>> {
  const lists = {
    '/users': () => createRecord(app, '/users', ann),
    '/places': () => createRecord(app, '/places', { name: 'Rome' }),
    '/uploads': () => upload(app, 'glass'),
  }
  const ids: Record<string, string> = {}
  for (const [url, create] of Object.entries(lists)) {
    if (app.declaredRoutes.some((route) => route.url === url)) ids[url] = (await create())._id
  }
  return ids
}
