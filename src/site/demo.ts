import type { FastifyInstance } from 'fastify'
import type { XSchema } from 'typebox/schema'
import type { Config } from '../config/config.ts'
import type { ErrorShape } from '../http/errors/send-error.ts'
import { withFile } from '../http/response/static-files.ts'
import { registerRoutes, type Route } from '../http/openapi/route.ts'
import type { Interceptor } from '../http/request/interceptor.ts'
import type { Segment } from '../http/request/target.ts'
import type { SampleRequest } from './sample-request.ts'
import type { Stores } from '../stores/open-stores.ts'

declare module 'fastify' {
  interface FastifyInstance {
    demoName?: string
  }
}

export interface Services extends Omit<Stores, 'close' | 'counters'> {
  config: Config
}

export const demoGroups = ['Resources', 'Requests and responses', 'Files', 'Sessions'] as const

export interface DemoCollection {
  name: string
  schema: XSchema
  isOfFiles?: boolean
}

export interface Demo {
  name: string
  title: string
  summary: string
  uses?: readonly string[]
  group?: (typeof demoGroups)[number]
  /** It has no page: its routes exist for those of other demos. */
  isUnlisted?: boolean
  /** The URL of its page, in the navigation. `/demos/<name>` if unset. */
  page?: string
  samples?: readonly SampleRequest[]
  /** One to three sentences about the exchanges of the samples, for `renderPhrases`. */
  lookFor?: string
  toTexts?: (config: Config) => Promise<Pick<Demo, 'samples' | 'lookFor'> | undefined>
  /** The path of a file in PUBLIC_DIR with a form for this demo. */
  form?: string
  collections?: readonly DemoCollection[]
  /** The first segment of its paths, if a request can spell it in several ways. */
  segment?: Segment
  /** Prepares the demo too. Hooks that it adds to `app` are the demo's own. */
  routes: (services: Services, app: FastifyInstance) => readonly Route[] | Promise<readonly Route[]>
  /** Takes requests before they are routed. At most one demo has one. */
  interceptor?: Interceptor
  /** Set by a demo whose errors do not have the shape of the service. */
  errorShape?: (services: Services) => ErrorShape
}

export function findDemos(demos: readonly Demo[], config: Config): Promise<readonly Demo[]> {
  const open = demos.filter(({ name }) => config.demos.includes(name))
  return Promise.all(open.map(async (demo) => ({ ...demo, ...(await demo.toTexts?.(config)) })))
}

export function toDemoPath(name: string): string {
  return `/demos/${encodeURIComponent(name)}`
}

export function findFileCollections(demos: readonly Demo[]): string[] {
  const all = demos.flatMap(({ collections = [] }) => collections)
  return all.flatMap(({ name, isOfFiles }) => (isOfFiles ? [name] : []))
}

export async function openDemo(app: FastifyInstance, { name, routes }: Demo, services: Services) {
  const group = { file: `src/demos/${name}/${name}.ts`, tag: name }
  await app.register(async (instance) => {
    instance.decorate('demoName', name)
    registerRoutes(instance, group, await routes(services, instance))
  })
}

export async function servesFile({ demos, publicDir }: Config, path: string): Promise<boolean> {
  return demos.includes('static') && withFile(publicDir, path, (file) => file !== undefined)
}

export const testApiName = 'test-api'
export const sandboxApiName = 'sandboxes'
/** The demo of stubs if there is none at the start. */
export const laterStubsName = 'later-stubs'

/** Some demos behave exactly as in the original API if no other is open. */
export function isAlone(name: string, { config }: Pick<Services, 'config'>): boolean {
  const others = [testApiName, sandboxApiName, laterStubsName]
  return config.demos.every((other) => other === name || others.includes(other))
}
