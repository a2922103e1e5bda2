import { create as toContentDisposition } from 'content-disposition'

/** The end of a longer name is kept. Clients reject a response with long headers. */
const maxNameLength = 255
const activeType = /html|xml|svg|script|pdf|multipart/i

/** The bytes of a visitor must never run in the origin of the service. */
export function toAttachmentHeaders(fileName: string) {
  const name = fileName.split(/[/\\]/).at(-1)?.slice(-maxNameLength)
  return {
    'content-disposition': toContentDisposition(name?.toWellFormed() || 'file'),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  }
}

export function toInactiveType(type: string): string {
  return activeType.test(type) ? 'application/octet-stream' : type
}
