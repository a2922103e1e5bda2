import type { FastifyReply } from 'fastify'

const maxNamesLength = 1000

/** The names are percent-encoded: a name can have any character. */
export function nameIgnored(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return
  const text = names.map(encodeURIComponent).join(', ')
  const rest = `${text.slice(0, text.lastIndexOf(',', maxNamesLength) + 1)} ...`.trimStart()
  reply.header('vitrine-ignored-fields', text.length > maxNamesLength ? rest : text)
}
