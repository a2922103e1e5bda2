import type { IncomingMessage } from 'node:http'
import { isHttp2 } from '../response/framing.ts'

/**
 * The request's target as path and query alone. The authority of an absolute form becomes Host (RFC
 * 9112 §3.2.2). What is of another scheme than the connection, or has userinfo, stays as it is.
 */
export function takeTarget(raw: IncomingMessage): string {
  const { url = '/', headers, socket } = raw
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
  const [origin, authority] = /^https?:\/\/([^/?#@]+)(?=[/?]|$)/i.exec(url) ?? []
  if (origin === undefined || isHttp2(raw)) return toPlainTarget(url)
  if (!origin.toLowerCase().startsWith(`${scheme}://`)) return url
  headers.host = authority
  return toPlainTarget(url.slice(origin.length).replace(/^\/?/, '/'))
}

/** Without trailing slashes, which change nothing anywhere. */
function toPlainTarget(url: string): string {
  const queryStart = url.indexOf('?')
  const pathEnd = queryStart === -1 ? url.length : queryStart
  let end = pathEnd
  while (end > 1 && url[end - 1] === '/') end -= 1
  return end === pathEnd ? url : url.slice(0, end) + url.slice(pathEnd)
}

/** The path of a target, still percent-encoded. */
export function toPath(target: string): string {
  return target.split('?', 1)[0] ?? ''
}
