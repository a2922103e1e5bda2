import type { FastifyRequest } from 'fastify'
import { isObject } from '../body/is-object.ts'

/** The decoded value of a parameter of the route's path, such as `id` of `/users/:id`. */
export function toPathParameter({ params }: FastifyRequest, name: string): string {
  const value = isObject(params) ? params[name] : undefined
  return typeof value === 'string' ? value : ''
}
