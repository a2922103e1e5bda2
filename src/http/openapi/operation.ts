import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { problemTypes } from '../errors/problem-types.ts'

/** A JSON Schema (2020-12), as OpenAPI 3.1 has it. */
export type Schema = object

/** Stands for a component that several operations share; `toComponent` makes it. */
export interface Reference {
  readonly $ref: string
}

export interface MediaType {
  schema?: Schema
  example?: unknown
}

/** By media type, without its parameters. */
export type Content = Readonly<Record<string, MediaType>>

export interface Header {
  description: string
  /** Whether every such answer has it. */
  required?: boolean
  schema: Schema
  example?: unknown
}

export interface Parameter extends Header {
  name: string
  in: 'query' | 'path' | 'header'
  /** How a list is written: `explode` repeats the name, otherwise commas separate. */
  style?: 'form'
  explode?: boolean
}

export interface ResponseDoc {
  description: string
  headers?: Readonly<Record<string, Header | Reference>>
  content?: Content
}

/** Every status with which the service refuses. */
export type ErrorStatus = (typeof problemTypes)[keyof typeof problemTypes]['status']

/** What a route says of itself, in the words of OpenAPI 3.1. */
export interface Operation {
  /** A few words. */
  summary: string
  description?: string
  parameters?: readonly (Parameter | Reference)[]
  requestBody?: { description?: string; required?: boolean; content: Content }
  /** The answers that are no refusals, by status or by class of them (`2XX`). */
  responses: Readonly<Record<string, ResponseDoc | Reference>>
  /** Whether the session cookie changes the response, or is needed. */
  session?: 'optional' | 'required'
  /** With what it refuses besides what every route of its kind can refuse. */
  errors?: readonly ErrorStatus[]
  /** Whether it needs a store, which can fail: 503, and 507 for a write. */
  store?: 'reads' | 'writes'
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation & { tag: string }
  }
}

/** `GET /users/:id` and its like, as the route is written. */
export type Operations = Readonly<Record<string, Operation>>

/** Gives each route that is added to `app` from now on its description. */
export function describeRoutes(app: FastifyInstance, tag: string, operations: Operations): void {
  app.addHook('onRoute', (route) => {
    const [operation] = methodsOf(route.method).flatMap(
      (method) => operations[`${method} ${withoutPatterns(route.url)}`] ?? [],
    )
    if (operation) route.config = { ...route.config, operation: { tag, ...operation } }
  })
}

/** `/users/:id(^\\d+$)` → `/users/:id` */
export function withoutPatterns(url: string): string {
  return url.replace(/(:\w+)\(.*\)/, '$1')
}

/** The methods that the document lists; HEAD and OPTIONS go without saying. */
export const documentedMethods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const
export type DocumentedMethod = (typeof documentedMethods)[number]

export function methodsOf(methods: HTTPMethods | HTTPMethods[]): readonly DocumentedMethod[] {
  const all: readonly string[] = [methods].flat()
  return documentedMethods.filter((method) => all.includes(method))
}
