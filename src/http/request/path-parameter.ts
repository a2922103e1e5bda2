import type { FastifyRequest } from 'fastify'
import { isObject } from '../body/is-object.ts'

export function toPathParameter({ params }: FastifyRequest, name: string): string {
  const value = isObject(params) ? params[name] : undefined
  return typeof value === 'string' ? value : ''
}
