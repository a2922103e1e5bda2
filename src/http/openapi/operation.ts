import type { problemTypes } from '../errors/problem-types.ts'
import type { OwnCookie } from '../security/own-secrets.ts'
import type { Reference } from './component.ts'

export type Schema = object

export interface MediaType {
  schema?: Schema
  example?: unknown
}

export type Content = Readonly<Record<string, MediaType>>

export interface Header {
  description: string
  required?: boolean
  schema: Schema
  example?: unknown
}

export interface Parameter extends Header {
  name: string
  in: 'query' | 'path' | 'header'
  allowEmptyValue?: boolean
  /** Commas separate the values of a list if `explode` is false. */
  style?: 'form'
  explode?: boolean
}

export interface ResponseDoc {
  description: string
  headers?: Readonly<Record<string, Header | Reference<Header>>>
  content?: Content
}

export type ErrorStatus = (typeof problemTypes)[keyof typeof problemTypes]['status']

export interface Operation {
  summary: string
  description?: string
  parameters?: readonly (Parameter | Reference<Parameter>)[]
  requestBody?: { description?: string; required?: boolean; content: Content }
  /** The successful responses, by status or class (`2XX`). One with status 200 when unset. */
  responses?: Readonly<Record<string, ResponseDoc | Reference<ResponseDoc>>>
  content?: Content
  example?: unknown
  cookie?: OwnCookie & { isOptional?: boolean }
  errors?: readonly ErrorStatus[]
  store?: 'reads' | 'writes'
}

/** The methods in the document. OpenAPI 3.1 has no QUERY; HEAD and OPTIONS are implied. */
export const documentedMethods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const

export type DocumentedMethod = (typeof documentedMethods)[number]
