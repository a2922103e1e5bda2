import type { FastifyInstance } from 'fastify'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openStores } from '../../src/stores/open-stores.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { StoredRecord } from '../../src/stores/records/records.ts'
import { emptyDatabase } from './empty-database.ts'
import { temporaryFolder } from './start-vitrine.ts'
import { testApp, type OpeningTest, type TestApp } from './test-app.ts'

/** A record as a client sees it. */
export interface Shown extends Record<string, string | number> {
  _id: string
  createdAt: string
  updatedAt: string
}

/** The resources of the tests with the fields of one good record, for what must hold for all of them. */
export const samples = [
  { path: '/people', singular: 'person', fields: { name: 'Ann', password: 'correct horse' } },
  {
    path: '/places',
    singular: 'place',
    fields: { name: 'Pier', latitude: 53.5, longitude: -9.25, note: 'by the water' },
  },
] as const

export const formType = 'application/x-www-form-urlencoded'

/** What a browser sends as Accept. */
export const browserAccept =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

/** Headers and content of a form as a browser submits it. */
export function asForm(fields: Readonly<Record<string, string | number>>) {
  const entries = Object.entries(fields).map(([name, value]) => [name, String(value)])
  const headers = { 'content-type': formType, accept: browserAccept }
  return { headers, payload: new URLSearchParams(entries).toString() }
}

/** Creates a record through the front door and gives what the response shows of it. */
export async function createRecord(
  app: FastifyInstance,
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Shown> {
  const headers = { accept: 'application/json' }
  const response = await app.inject({ method: 'POST', url: path, headers, payload: fields })
  if (response.statusCode !== 201) throw new Error(`not created: ${response.body}`)
  return response.json<Shown>()
}

/** The app of the test, or a given one, with a new record. */
export async function openRecord(
  where: TestContext | TestApp,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  settings: Record<string, string> = {},
) {
  const app = 'inject' in where ? where : await testApp(where, { settings })
  const { _id } = await createRecord(app, path, fields)
  return { app, _id, url: `${path}/${_id}` }
}

/** The id of the records of `openSamples`. */
export const sampleId = 'the-record-of-the-samples'

/** The app with a record of each resource, for requests that store nothing. */
export async function openSamples(t: OpeningTest): Promise<TestApp> {
  const app = await testApp(t)
  for (const { path, fields } of samples) {
    await app.inject({ method: 'PUT', url: `${path}/${sampleId}`, payload: fields })
  }
  return app
}

/** The app with one record, and a way to read the record as it is stored. */
export async function openStored(
  t: TestContext,
  path: string,
  fields: Readonly<Record<string, unknown>>,
) {
  const databaseUrl = await temporaryDatabase(t)
  const opened = await openRecord(t, path, fields, { DATABASE_URL: databaseUrl })
  return { ...opened, readStored: () => findStored(databaseUrl, path.slice(1), opened._id) }
}

export async function readRecord(app: FastifyInstance, url: string): Promise<Shown> {
  const response = await app.inject({ url, headers: { accept: 'application/json' } })
  if (response.statusCode !== 200) throw new Error(`not there: ${response.body}`)
  return response.json<Shown>()
}

/** The names of the records of a list, in its order. */
export async function readNames(app: FastifyInstance, url: string): Promise<string> {
  const response = await app.inject({ url, headers: { accept: 'application/json' } })
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.body}`)
  const names = response.json<Shown[]>().map(({ name }) => String(name))
  return names.join(' ')
}

export function without<Value>(
  fields: Readonly<Record<string, Value>>,
  ...names: readonly string[]
): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/** The fields of a record that a client can set. */
export function fieldsOf(shown: Shown): Record<string, string | number> {
  return without(shown, '_id', 'createdAt', 'updatedAt')
}

/** An empty database that can be opened more than once, as DATABASE_URL. */
export async function temporaryDatabase(t: TestContext): Promise<string> {
  return emptyDatabase(`sqlite:${join(await temporaryFolder(t), 'records.db')}`)
}

/** The record as it is kept, which no response shows. */
export async function findStored(
  databaseUrl: string,
  resource: string,
  id: string,
): Promise<StoredRecord | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const stores = await openStores(
    loadConfig({ DATABASE_URL: databaseUrl, FILES_URL: `file:${folder}` }, ['users']),
  )
  try {
    return await stores.records.collection(resource).find(id)
  } finally {
    await stores.close()
    rmSync(folder, { recursive: true })
  }
}
