import type { Exchange } from './exchange-log.ts'

/** Headers that describe the client or the connection, not the request. */
const clientHeaders =
  /^(host|connection|user-agent|content-length|transfer-encoding|upgrade-insecure-requests|priority|te|dnt|referer|origin|pragma|cookie|authorization|proxy-.*|sec-.*|:.*|accept-(encoding|language|charset))$/i

/** Commands that repeat the request. A file named `content` stands for the body, which is not stored. */
export function toCommands({ origin, target, method, requestFields }: Exchange) {
  const fields = requestFields.filter(([name]) => !clientHeaders.test(name))
  const hasBody = requestFields.some(
    ([name, value]) =>
      /^transfer-encoding$/i.test(name) || (/^content-length$/i.test(name) && value !== '0'),
  )
  const request = { method, url: origin + target, fields, hasBody }
  return { curl: toCurl(request), fetch: toFetch(request), httpie: toHttpie(request) }
}

interface Request {
  method: string
  url: string
  fields: Exchange['requestFields']
  hasBody: boolean
}

function toCurl({ method, url, fields, hasBody }: Request): string {
  const verbs: Readonly<Record<string, string>> = { GET: '', HEAD: ' --head' }
  const verb = verbs[method] ?? ` -X ${method}`
  const headers = fields.map(([name, value]) => ` \\\n  -H ${quote(`${name}: ${value}`)}`)
  const body = hasBody ? ' \\\n  --data-binary @content' : ''
  return `curl -i${verb} ${quote(url)}${headers.join('')}${body}`
}

function toHttpie({ method, url, fields, hasBody }: Request): string {
  const headers = fields.map(([name, value]) => ` \\\n  ${quote(`${name}:${value}`)}`)
  return `http -v ${method} ${quote(url)}${headers.join('')}${hasBody ? ' \\\n  < content' : ''}`
}

function toFetch({ method, url, fields, hasBody }: Request): string {
  const headers = fields.map(
    (field) => `    ${field.map((text) => JSON.stringify(text)).join(': ')},\n`,
  )
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n${headers.join('')}  },`]),
    ...(hasBody ? ['  body: content,'] : []),
  ]
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  return `await fetch(${JSON.stringify(url)}${second})`
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
