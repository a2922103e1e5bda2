// A request of the composer as a curl command.
const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const quoteOdd = (text) => (/^[\w-]+$/.test(text) ? text : quote(text))

export const isSafe = (method) => method === 'GET' || method === 'HEAD'

/** `base` is the path of a sandbox. */
export function toCurl({ method, target, headers, type, body, form }, base = '') {
  const hasBody = body && !isSafe(method)
  const all = hasBody && type ? [...headers, ['Content-Type', type]] : headers
  const start = { GET: 'curl -i', HEAD: 'curl -I' }[method] ?? `curl -i -X ${quoteOdd(method)}`
  const flags = all.map(([name, value]) => `-H ${quote(value ? `${name}: ${value}` : `${name};`)}`)
  const parts = form?.map(([name, value]) =>
    typeof value === 'string'
      ? `--form-string ${quote(`${name}=${value}`)}`
      : `-F ${quote(`${name}=@${value.name || 'file.txt'}`)}`,
  )
  const data = parts ?? (hasBody ? [`--data-raw ${quote(body)}`] : [])
  // Without a slash, the path would be a part of the host.
  const url = location.origin + base + target.replace(/^(?!\/)/, '/')
  return [start, quote(url), ...flags, ...data].join(' ')
}
