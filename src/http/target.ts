/**
 * The request's target as path and query alone: without the origin of an absolute form (RFC 9112
 * §3.2.2), and without trailing slashes, which change nothing anywhere.
 */
export function toPlainTarget(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
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
