import type { Exchange } from './exchange-log.ts'
import { toFields } from './message-head.ts'

/** Headers that describe the client or the connection, not the request. */
const clientHeaders =
  /^(host|connection|user-agent|content-length|transfer-encoding|upgrade-insecure-requests|priority|te|dnt|referer|origin|pragma|cookie|authorization|proxy-.*|sec-.*|:.*|accept-(encoding|language|charset))$/

/** The request as a command. A file named `content` stands for the body, which is not stored. */
export function toCurl(exchange: Exchange): string {
  const { method, url, headers, hasBody } = toCommand(exchange)
  const verb = method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`
  const fields = headers.map(([name, value]) => ` \\\n  -H ${quote(`${name}: ${value}`)}`)
  const body = hasBody ? ' \\\n  --data-binary @content' : ''
  return `curl -i${verb} ${quote(url)}${fields.join('')}${body}`
}

export function toHttpie(exchange: Exchange): string {
  const { method, url, headers, hasBody } = toCommand(exchange)
  const fields = headers.map(([name, value]) => ` \\\n  ${quote(`${name}:${value}`)}`)
  return `http -v ${method} ${quote(url)}${fields.join('')}${hasBody ? ' \\\n  < content' : ''}`
}

export function toFetch(exchange: Exchange): string {
  const { method, url, headers, hasBody } = toCommand(exchange)
  const fields = headers.map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  )
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n${fields.join('')}  },`]),
    ...(hasBody ? ['  body: content,'] : []),
  ]
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  return `await fetch(${JSON.stringify(url)}${second})`
}

function toCommand({ origin, request }: Exchange) {
  const fields = toFields(request).map(
    ([name, value]) => [name, value, name.toLowerCase()] as const,
  )
  return {
    method: request.method,
    url: origin + request.target,
    headers: fields.filter(([, , key]) => !clientHeaders.test(key)),
    hasBody: fields.some(
      ([, value, key]) =>
        key === 'transfer-encoding' || (key === 'content-length' && value !== '0'),
    ),
  }
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
