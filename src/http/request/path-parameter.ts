import type { FastifyRequest } from 'fastify'

/** The decoded value of a parameter of the route's path, such as `id` of `/users/:id`. */
export function toPathParameter({ params }: FastifyRequest, name: string): string {
  return (params as Readonly<Record<string, string>>)[name] ?? ''
}
