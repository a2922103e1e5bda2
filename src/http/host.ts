import type { IncomingMessage } from 'node:http'
import { badRequest } from './refusal.ts'

const validHost = /^[\w.~!$&'()*+,;=%:[\]-]+$/

/**
 * RFC 9112 §3.2: a request with two Host fields, or one that cannot be a host, gets a 400. Everything
 * that compares origins relies on it.
 */
export function refuseBadHost({ rawHeaders, headers }: IncomingMessage): void {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  const { host } = headers
  if (count > 1) throw badRequest('There is more than one Host.')
  if (host !== undefined && !validHost.test(host)) throw badRequest('Host names no host.')
}
