import type { FastifyReply } from 'fastify'

/** Not even in private caches, nor for pages of other sites, which can read what needs no cookie. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
  if (reply.getHeader('access-control-allow-origin') === '*')
    reply.removeHeader('access-control-allow-origin')
}
