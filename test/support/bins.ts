import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import type { TestApp } from './test-app.ts'

export interface NewBin {
  id: string
  url: string
  secret: string
  expiresAt: string
  name?: string
  response: unknown
}

export interface Captured {
  id: string
  receivedAt: string
  method: string
  target: string
  path: string
  client: string
  requestFields: [name: string, value: string][]
  requestTrailerFields?: [name: string, value: string][]
  requestBody?: { size: number; isCut: boolean; text?: string; hex?: string }
  status?: number
  isPending?: boolean
  isCutOff?: boolean
  fault?: string
  step?: number
  isTooLarge?: boolean
  url: string
  shareUrl?: string
  fields: [name: string, value: string][]
  files: { field: string; name: string; type: string; size: number; url: string }[]
}

export async function createBinAt(origin: string) {
  const response = await fetch(`${origin}/bins`, { method: 'POST' })
  return (await response.json()) as NewBin
}

/** A bin, and what its owner and others do with it. */
export async function createBin(app: TestApp, response?: unknown) {
  const created = await app.inject({
    method: 'POST',
    url: '/bins',
    ...(response !== undefined && { payload: { response } }),
  })
  assert.equal(created.statusCode, 201, created.body)
  const bin = created.json<NewBin>()
  const authorization = `Bearer ${bin.secret}`
  const read = (path = '', options: InjectOptions = {}) =>
    app.inject({
      url: `/bins/${bin.id}${path}`,
      ...options,
      headers: { authorization, accept: '*/*', ...options.headers },
    })
  return {
    ...bin,
    authorization,
    read,
    send: (path = '', options: InjectOptions = {}) =>
      app.inject({ url: `/b/${bin.id}${path}`, ...options }),
    list: async (query = '') => {
      const found = await read(`/requests${query}`)
      assert.equal(found.statusCode, 200, found.body)
      return found.json<Captured[]>()
    },
  }
}
