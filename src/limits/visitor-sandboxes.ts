import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { remember } from '../http/remember.ts'
import { isSafe } from '../http/request/method-override.ts'
import { toOrigin } from '../http/request/request-head.ts'
import {
  createSandboxKey,
  openAddress,
  openKey,
  setSandboxCookie,
} from '../http/request/sandbox-key.ts'
import { isRawRequest } from '../http/request/target.ts'
import { isSameOrigin } from '../http/security/origins.ts'
import type { Records } from '../stores/records/records.ts'
import { moveToSandbox } from '../stores/sandboxes/sandboxes.ts'
import { loadAddressSecret } from './address-secret.ts'
import { createProxyCheck, findClient, toAddressKey } from './limits.ts'

export type VisitorSandboxes = Awaited<ReturnType<typeof openVisitorSandboxes>>

/** With SANDBOXES=visitor, each request is in a sandbox: see decisions/024-sandboxes.md. */
export async function openVisitorSandboxes(config: Config, records: Records) {
  if (config.sandboxes !== 'visitor') return undefined
  const secret = await loadAddressSecret(records, config.readOnly)
  const isProxy = createProxyCheck(config)
  const open = remember((address) => openAddress(address, secret))
  return {
    /** The sandbox of the client of RATE_LIMIT, if the request names none. */
    useAddress: (raw: IncomingMessage): void => {
      if (raw.sandboxError) return
      const { remoteAddress } = raw.socket
      const address = toAddressKey(findClient(raw, isProxy)) ?? toAddressKey(remoteAddress)
      raw.sandbox ??= open(address ?? 'unknown')
    },
    /** A browser gets a sandbox of its own at the first page that reads or stores something. */
    begin: (request: FastifyRequest, reply: FastifyReply): void => {
      const { raw, routeOptions } = request
      if (raw.sandbox?.tokens || raw.sandboxError) return
      if (routeOptions.config.usesStore && !isRawRequest(raw) && isOfBrowser(request))
        beginSandbox(reply)
      else reply.header('vitrine-sandbox', 'shared; send X-Sandbox for your own')
    },
  }
}

function beginSandbox(reply: FastifyReply): void {
  const { raw } = reply.request
  const key = createSandboxKey()
  raw.sandbox = { ...openKey(key), isOfCookie: true, isNew: true }
  raw.sandboxPath = `/s/${key}`
  moveToSandbox(raw.sandbox)
  setSandboxCookie(reply, key)
}

/**
 * Whether the client will send the cookie with its next request: a browser that opens a page, or a script or form of
 * a page of the service. A browser sends no cookie with a form or a frame of another site, although it has one.
 */
function isOfBrowser(request: FastifyRequest): boolean {
  const { headers, method } = request
  const own = toOrigin(request)
  if (!isSafe(method)) return isSameOrigin(headers.origin, own)
  if (headers['sec-fetch-site'] === 'same-origin') return true
  if (headers['sec-fetch-mode'] !== undefined) return headers['sec-fetch-dest'] === 'document'
  // Browsers send no Sec-Fetch-* over plain HTTP.
  return headers['upgrade-insecure-requests'] === '1' || isSameOrigin(headers.referer, own)
}
