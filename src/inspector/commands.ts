import type { Exchange } from './exchange-log.ts'

/** What a client says of itself and of the connection, and not of what it wants. */
const clientHeaders =
  /^(host|connection|user-agent|content-length|transfer-encoding|upgrade-insecure-requests|priority|te|dnt|referer|origin|pragma|cookie|authorization|proxy-.*|sec-.*|:.*|accept-(encoding|language|charset))$/

interface Command {
  method: string
  url: string
  /** Those that matter to the answer, as they came. */
  headers: readonly (readonly [name: string, value: string])[]
  hasBody: boolean
}

/** The request again, for a command line. Content is not kept: a file of yours stands for it. */
export function toCurl(exchange: Exchange): string {
  const { method, url, headers, hasBody } = toCommand(exchange)
  const verb = method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`
  const fields = headers.map(([name, value]) => ` \\\n  -H ${quote(`${name}: ${value}`)}`)
  const body = hasBody ? ' \\\n  --data-binary @content' : ''
  return `curl -i${verb} ${quote(url)}${fields.join('')}${body}`
}

/** The same for HTTPie. */
export function toHttpie(exchange: Exchange): string {
  const { method, url, headers, hasBody } = toCommand(exchange)
  const fields = headers.map(([name, value]) => ` \\\n  ${quote(`${name}:${value}`)}`)
  return `http -v ${method} ${quote(url)}${fields.join('')}${hasBody ? ' \\\n  < content' : ''}`
}

/** The same for a script. */
export function toFetch(exchange: Exchange): string {
  const { method, url, headers, hasBody } = toCommand(exchange)
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: ${toObject(headers)},`]),
    ...(hasBody ? ['  body: content,'] : []),
  ]
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  return `await fetch(${JSON.stringify(url)}${second})`
}

function toObject(headers: Command['headers']): string {
  const members = headers.map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  return `{\n${members.join('\n')}\n  }`
}

function toCommand({ origin, request }: Exchange): Command {
  const { method, target, rawHeaders } = request
  const headers: [string, string][] = []
  let hasBody = false
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    const key = name.toLowerCase()
    if (key === 'transfer-encoding' || (key === 'content-length' && value !== '0')) hasBody = true
    if (!clientHeaders.test(key)) headers.push([name, value])
  }
  return { method, url: origin + target, headers, hasBody }
}

/** For a POSIX shell: between single quotes nothing has a meaning but the quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
