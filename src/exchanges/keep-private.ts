import type { FastifyReply } from 'fastify'

/** Neither a private cache nor a page of another site, which can read what needs no cookie, may have it. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
  if (reply.getHeader('access-control-allow-origin') === '*')
    reply.removeHeader('access-control-allow-origin')
}
