// A request of the composer as a curl command, and back.
const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const quoteOdd = (text) => (/^[\w-]+$/.test(text) ? text : quote(text))

export const isSafe = (method) => method === 'GET' || method === 'HEAD'

export function toCurl({ method, target, headers, type, body, form }) {
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
  const url = location.origin + target.replace(/^(?!\/)/, '/')
  return [start, quote(url), ...flags, ...data].join(' ')
}

const part = /\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\]+/g
const word = new RegExp(`\\s*((?:${part.source})+)`, 'gy')
const escape = /\\(?:u([\da-f]{4})|x([\da-f]{2})|([^]))/gi
const escapes = { n: '\n', r: '\r', t: '\t' }
const toCharacter = (_, long, short, one) =>
  one ? (escapes[one] ?? one) : String.fromCharCode(parseInt(long ?? short, 16))

function toPlain(text) {
  if (text.startsWith("$'")) return text.slice(2, -1).replaceAll(escape, toCharacter)
  if (text.startsWith("'")) return text.slice(1, -1)
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\([\\"$`])/g, '$1')
  return text.startsWith('\\') ? text.slice(1) : text
}

/** The words of a command, as a shell reads them. A field of one line has lost the ends of the lines. */
function toWords(text) {
  const source = text.replaceAll(/\\\r?\n| \\(?= )/g, ' ').trim()
  return Array.from(source.matchAll(word), ([, one]) => one.match(part).map(toPlain).join(''))
}

const isCurl = (text) => /^\s*curl(\.exe)?\s/.test(text)

/** Flags without a meaning here that have a value. */
const skipped =
  /^(-[cCDEFhKmoPQtTUwxyYz]|--(aws-sigv4|cacert|capath|cert|ciphers|cookie-jar|config|connect-timeout|connect-to|continue-at|dns-servers|doh-url|dump-header|etag-compare|etag-save|form|form-string|interface|key|limit-rate|local-port|max-filesize|max-redirs|max-time|netrc-file|noproxy|oauth2-bearer|output|output-dir|pass|pinnedpubkey|preproxy|proto|proxy|proxy-header|proxy-user|rate|resolve|retry|retry-delay|retry-max-time|socks[45]\w*(-hostname)?|stderr|tls-max|trace|trace-ascii|unix-socket|upload-file|url-query|variable|write-out))$/

/** They change what curl shows, or ask for what a browser does anyway. */
const idle =
  /^(-[#fgiLNsSv]|--(compressed|fail|globoff|include|location|no-buffer|no-progress-meter|progress-bar|show-error|silent|verbose))$/

/** `-sSL` is three flags without values, and `-iXPUT` is two. */
function splitFlags(text) {
  const [, letters = '', rest] = /^-([#0-46afgGiIjklLnNOpqRsSvVZ]+)(.*)$/s.exec(text) ?? []
  if (letters === '') return [text]
  return [...Array.from(letters, (one) => `-${one}`), ...(rest ? [`-${rest}`] : [])]
}

/** The request of a curl command, for this service. Undefined if the text is no such command. */
export function parseCurl(text) {
  if (!isCurl(text)) return undefined
  const words = toWords(text).slice(1)
  const headers = []
  const bodies = []
  const omitted = []
  let [method, url, isQuery] = []
  const take = () => words.shift() ?? ''
  const addUrl = (text) => {
    if (url === undefined) url = text
    else omitted.push(text)
  }
  while (words.length > 0) {
    const [first, ...others] = splitFlags(take())
    words.unshift(...others)
    const [, flag = '', joined] = /^(--[\w-]+|-\w)(?:=|(?<=^-\w))?([^]+)?$/.exec(first) ?? []
    const value = () => joined ?? take()
    // curl would read the file.
    const addBody = (text) =>
      text.startsWith('@') ? omitted.push(`${flag} ${text}`) : bodies.push(text)
    if (/^(-X|--request)$/.test(flag)) method = value()
    else if (/^(-H|--header)$/.test(flag)) headers.push(splitHeader(value()))
    else if (flag === '--data-urlencode') bodies.push(toEncoded(value()))
    else if (flag === '--data-raw') bodies.push(value())
    else if (/^(-d|--data.*)$/.test(flag)) addBody(value())
    else if (flag === '--json') {
      addBody(value())
      headers.push(['Content-Type', 'application/json'], ['Accept', 'application/json'])
    } else if (/^(-A|--user-agent)$/.test(flag)) headers.push(['User-Agent', value()])
    else if (/^(-e|--referer)$/.test(flag)) headers.push(['Referer', value()])
    else if (/^(-r|--range)$/.test(flag)) headers.push(['Range', `bytes=${value()}`])
    else if (/^(-b|--cookie)$/.test(flag)) headers.push(['Cookie', value()])
    else if (/^(-u|--user)$/.test(flag)) headers.push(['Authorization', toBasic(value())])
    else if (flag === '--url') addUrl(value())
    else if (skipped.test(flag)) {
      omitted.push(flag)
      value()
    } else if (/^(-I|--head)$/.test(first)) method = 'HEAD'
    else if (/^(-G|--get)$/.test(first)) isQuery = true
    else if (!first.startsWith('-')) addUrl(first)
    else if (!idle.test(first)) omitted.push(first)
  }
  return toRequest({ method, url, headers, bodies, isQuery, omitted })
}

function toRequest({ method, url = '/', headers, bodies, isQuery, omitted }) {
  // Without a scheme, curl takes the first part for the host.
  const whole = /^(\w+:\/\/|\/|$)/.test(url) ? url : `http://${url}`
  const parsed = URL.parse(whole, location.origin)
  const { pathname, search, username, password } = parsed ?? { pathname: url, search: '' }
  if (username)
    headers.push(['Authorization', toBasic([username, password].map(decodeURIComponent).join(':'))])
  const notes = toNotes(parsed, omitted)
  const text = bodies.join('&')
  if (isQuery) {
    const query = [search.slice(1), text].filter(Boolean).join('&')
    return { method: method ?? 'GET', target: pathname + (query && `?${query}`), headers, notes }
  }
  const isType = ([one]) => /^content-type$/i.test(one)
  const type = headers.find(isType)?.[1] ?? 'application/x-www-form-urlencoded'
  return {
    method: method ?? (bodies.length > 0 ? 'POST' : 'GET'),
    target: pathname + search,
    headers: headers.filter((one) => !isType(one)),
    notes,
    ...(bodies.length > 0 && { type, body: text }),
  }
}

/** What is not sent as the command says. */
function toNotes(url, omitted) {
  const isOwn = url === null || url.host === location.host
  const names = new Intl.ListFormat('en').format(new Set(omitted))
  return [
    ...(isOwn ? [] : [`The request is sent to this service, not to ${url.host || url.href}.`]),
    ...(names ? [`${names} ${new Set(omitted).size > 1 ? 'are' : 'is'} left out.`] : []),
  ]
}

function toEncoded(text) {
  const [, start, value] = /^([^=]*=)?([^]*)$/.exec(text)
  return (start === '=' ? '' : (start ?? '')) + encodeURIComponent(value)
}

const toBasic = (text) =>
  `Basic ${globalThis.btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`

function splitHeader(text) {
  const [, name, value] = /^([^:;]*)[:;] ?(.*)$/s.exec(text) ?? [text, text, '']
  return [name.trim(), value.trim()]
}
