import type { Exchange } from './exchange-log.ts'

const connectionHeaders =
  /^(host|connection|user-agent|content-length|transfer-encoding|upgrade-insecure-requests|priority|te|dnt|referer|origin|pragma|cookie|authorization|proxy-.*|sec-.*|:.*|accept-(encoding|language|charset))$/i

const bodyHeader = /^(transfer-encoding:|content-length:(?!0$))/i

/** Commands that repeat the request. A file named `content` stands for the body, which is not stored. */
export function toCommands({ origin, target, method, requestFields }: Exchange) {
  const url = origin + target
  const fields = requestFields.filter(([name]) => !connectionHeaders.test(name))
  const hasBody = requestFields.some(([name, value]) => bodyHeader.test(`${name}:${value}`))
  const verbs: Readonly<Record<string, string>> = { GET: '', HEAD: ' --head' }
  const curl = [
    `curl -i${verbs[method] ?? ` -X ${method}`} ${quoteForShell(url)}`,
    ...fields.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(hasBody ? ['--data-binary @content'] : []),
  ].join(' \\\n  ')
  const httpie = [
    `http -v ${method} ${quoteForShell(url)}`,
    ...fields.map(([name, value]) => quoteForShell(`${name}:${value}`)),
    ...(hasBody ? ['< content'] : []),
  ].join(' \\\n  ')
  return { curl, fetch: toFetch(method, url, { requestFields: fields, hasBody }), httpie }
}

type FetchParts = Pick<Exchange, 'requestFields'> & { hasBody: boolean }

function toFetch(method: string, url: string, { requestFields, hasBody }: FetchParts): string {
  const headers = requestFields.map(
    (field) => `    ${field.map((text) => JSON.stringify(text)).join(': ')},\n`,
  )
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},\n`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n${headers.join('')}  },\n`]),
    ...(hasBody ? ['  body: content,\n'] : []),
  ].join('')
  return `await fetch(${JSON.stringify(url)}${options && `, {\n${options}}`})`
}

export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
