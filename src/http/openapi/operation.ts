import type { problemTypes } from '../errors/problem-types.ts'
import type { Reference } from './component.ts'

/** A JSON Schema (2020-12). */
export type Schema = object

export interface MediaType {
  schema?: Schema
  example?: unknown
}

/** By media type, without its parameters. */
export type Content = Readonly<Record<string, MediaType>>

export interface Header {
  description: string
  /** Whether every such response has it. */
  required?: boolean
  schema: Schema
  example?: unknown
}

export interface Parameter extends Header {
  name: string
  in: 'query' | 'path' | 'header'
  /** Serialization of a list: `explode` repeats the name; without it commas separate the values. */
  style?: 'form'
  explode?: boolean
}

export interface ResponseDoc {
  description: string
  headers?: Readonly<Record<string, Header | Reference<Header>>>
  content?: Content
}

/** The status of an error response. */
export type ErrorStatus = (typeof problemTypes)[keyof typeof problemTypes]['status']

/** The documentation of a route, in the terms of OpenAPI 3.1. */
export interface Operation {
  /** A few words, in the imperative: `List users`. */
  summary: string
  description?: string
  parameters?: readonly (Parameter | Reference<Parameter>)[]
  requestBody?: { description?: string; required?: boolean; content: Content }
  /** The successful responses, by status or class (`2XX`). One with status 200 when unset. */
  responses?: Readonly<Record<string, ResponseDoc | Reference<ResponseDoc>>>
  /** The content of a response with status 200. */
  content?: Content
  /** In place of `content`: an example of text, or of JSON, whose schema is derived from it. */
  example?: unknown
  /** Whether the session cookie changes the response, or is required. */
  session?: 'optional' | 'required'
  /** Error statuses besides those that every route of its method has. */
  errors?: readonly ErrorStatus[]
  /** Whether it uses a store, which can fail: 503, and 507 for a write. */
  store?: 'reads' | 'writes'
}

/** The methods in the document. OpenAPI 3.1 has no QUERY; HEAD and OPTIONS are implied. */
export const documentedMethods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const

export type DocumentedMethod = (typeof documentedMethods)[number]
