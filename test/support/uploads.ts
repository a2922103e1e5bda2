import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { asUpload, type FormPart } from './multipart-form.ts'
import { temporaryFolder } from './start-vitrine.ts'
import { testApp, useApp, type OpeningTest } from './test-app.ts'

/** An upload as the list shows it. */
export interface ShownUpload {
  _id: string
  name: string
  type: string
  size: number
  sha256: string
  createdAt: string
}

/** The demo uploads, and the folder in which it keeps its files. */
export async function openUploads(t: OpeningTest, settings: Record<string, string> = {}) {
  const folder = await temporaryFolder(t)
  const FILES_URL = `file:${folder}`
  const app = await testApp(t, { settings: { DEMOS: 'uploads', FILES_URL, ...settings } })
  return { app, folder }
}

/** The demo uploads for the tests of a file, and its folder. */
export function useUploads(settings: Record<string, string> = {}) {
  let folder = ''
  const app = useApp({}, async (t) => {
    const opened = await openUploads(t, settings)
    folder = opened.folder
    return opened.app
  })
  return () => ({ app: app(), folder })
}

/** Uploads a file and returns its entry in the list. */
export async function upload(
  app: FastifyInstance,
  content: string | Buffer,
  part: FormPart = {},
): Promise<ShownUpload> {
  const response = await app.inject({ method: 'POST', url: '/profile', ...asUpload(content, part) })
  assert.equal(response.statusCode, 200, response.body)
  const shown = (await listUploads(app)).at(-1) ?? assert.fail('nothing is listed')
  assert.ok(response.body.includes(shown._id), response.body)
  return shown
}

export async function listUploads(app: FastifyInstance): Promise<ShownUpload[]> {
  const response = await app.inject({ url: '/uploads', headers: { accept: 'application/json' } })
  assert.equal(response.statusCode, 200, response.body)
  return response.json<ShownUpload[]>()
}

/** Fails when a file is in the folder or in the list. */
export async function assertNothingStored(
  app: FastifyInstance,
  folder: string,
  title: string,
): Promise<void> {
  assert.deepEqual(await readdir(folder), [], title)
  assert.deepEqual(await listUploads(app), [], title)
}
