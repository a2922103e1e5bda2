import { create as toContentDisposition } from 'content-disposition'

const activeType = /html|xml|svg|script|pdf|multipart/i

/** For bytes of a visitor, which never run in the origin of the service. */
export function toAttachmentHeaders(fileName: string) {
  return {
    'content-disposition': toContentDisposition(fileName.split(/[/\\]/).at(-1) || 'file'),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
}

export function toInactiveType(type: string): string {
  return activeType.test(type) ? 'application/octet-stream' : type
}
