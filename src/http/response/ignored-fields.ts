import type { FastifyReply } from 'fastify'

const maxNamesLength = 1000

/** Percent-encoded: a name can have any character. */
export function nameIgnored(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return
  let text = ''
  for (const name of names.map(encodeURIComponent)) {
    const next = text === '' ? name : `${text}, ${name}`
    if (next.length > maxNamesLength) {
      text = `${text === '' ? '' : `${text}, `}...`
      break
    }
    text = next
  }
  reply.header('vitrine-ignored-fields', text)
}
