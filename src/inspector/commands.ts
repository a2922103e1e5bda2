import type { Exchange } from './exchange-log.ts'

const connectionHeaders =
  /^(host|connection|user-agent|content-length|transfer-encoding|upgrade-insecure-requests|priority|te|dnt|referer|origin|pragma|cookie|authorization|proxy-.*|sec-.*|:.*|accept-(encoding|language|charset))$/i

/** Commands that repeat the request. A file named `content` stands for the body, which is not stored. */
export function toCommands({ origin, target, method, requestFields }: Exchange) {
  const fields = requestFields.filter(([name]) => !connectionHeaders.test(name))
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
  const headers = fields.map(([name, value]) => ` \\\n  -H ${quoteForShell(`${name}: ${value}`)}`)
  const body = hasBody ? ' \\\n  --data-binary @content' : ''
  return `curl -i${verb} ${quoteForShell(url)}${headers.join('')}${body}`
}

function toHttpie({ method, url, fields, hasBody }: Request): string {
  const headers = fields.map(([name, value]) => ` \\\n  ${quoteForShell(`${name}:${value}`)}`)
  return `http -v ${method} ${quoteForShell(url)}${headers.join('')}${hasBody ? ' \\\n  < content' : ''}`
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

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
