// The request of a curl command that is pasted into the composer.
import { isSafe } from './curl.js'
import { decodeLoosely } from './dom.js'

const letters = {
  ...{ A: 'user-agent', b: 'cookie', d: 'data', e: 'referer', F: 'form', G: 'get', H: 'header' },
  ...{ I: 'head', r: 'range', T: 'upload-file', u: 'user', X: 'request' },
}

/** Flags that have a value, and no meaning here. https://curl.se/docs/manpage.html */
const skipped =
  /^(-[cCDEhKmoPQtUwxyYz]|--(abstract-unix-socket|alt-svc|aws-sigv4|cacert|capath|cert|cert-type|ciphers|config|connect-timeout|connect-to|continue-at|cookie-jar|create-file-mode|crlfile|curves|delegation|dns-.*|doh-url|dump-header|ech|engine|etag-compare|etag-save|expect100-timeout|happy-eyeballs-timeout-ms|haproxy-clientip|hsts|interface|ip-tos|keepalive-(cnt|time)|key|key-type|libcurl|limit-rate|local-port|login-options|max-filesize|max-redirs|max-time|netrc-file|noproxy|output|output-dir|parallel-max|pass|pinnedpubkey|preproxy|proto|proto-default|proto-redir|proxy|proxy-(ca.*|cert|cert-type|ciphers|header|key|key-type|pass|user)|proxy1\.0|pubkey|quote|rate|request-target|resolve|retry|retry-delay|retry-max-time|service-name|sigalgs|socks[45]\w*(-.*)?|speed-limit|speed-time|stderr|time-cond|tls-max|tls13-ciphers|tls(auth|pass|user)\w*|trace|trace-ascii|trace-config|unix-socket|variable|write-out))$/

/** They change what curl shows, or ask for what a browser does anyway. */
const idle =
  /^(-[#fgiLNsSv]|--(compressed|fail|fail-early|fail-with-body|globoff|include|location|no-buffer|no-progress-meter|progress-bar|show-error|show-headers|silent|styled-output|verbose))$/

/** With each of them, `-u` is the key for what only curl can compute. */
const schemes = /^--(anyauth|aws-sigv4|digest|negotiate|ntlm)$/

/** `-sSL` is three flags without values, and `-iXPUT` is two. */
function splitFlags(text) {
  const [, known = '', rest] = /^-([#0-46afgGiIjJklLnNOpqRsSvVZ]+)(.*)$/s.exec(text) ?? []
  if (known === '') return [text]
  return [...Array.from(known, (one) => `-${one}`), ...(rest ? [`-${rest}`] : [])]
}

/** The flags that a request is made of. Each gets the command so far, its value, and itself. */
const readers = {
  request: (command, value) => (command.method = value),
  header: readHeader,
  data: readData,
  'data-ascii': readData,
  'data-binary': readData,
  'data-raw': ({ bodies }, value) => bodies.push(value),
  'data-urlencode': (command, value, flag) => readEncoded(command.bodies, value, { command, flag }),
  'url-query': (command, value, flag) => readEncoded(command.query, value, { command, flag }),
  json: readJson,
  form: readForm,
  'form-string': readForm,
  'upload-file': (command, value, flag) => {
    command.implied = 'PUT'
    command.omitted.push(`${flag} ${value}`)
  },
  'user-agent': ({ own }, value) => own.push(['User-Agent', value]),
  referer: ({ own }, value) => own.push(['Referer', value]),
  range: ({ own }, value) => own.push(['Range', `bytes=${value}`]),
  // Without an equals sign, it is the name of a file with cookies.
  cookie: ({ own, omitted }, value, flag) =>
    value.includes('=') ? own.push(['Cookie', value]) : omitted.push(`${flag} ${value}`),
  user: (command, value) => (command.user = value),
  'oauth2-bearer': ({ own }, value) => own.push(['Authorization', `Bearer ${value}`]),
  url: ({ urls }, value) => urls.push(value),
}

const switches = {
  head: (command) => (command.method ??= 'HEAD'),
  get: (command) => (command.isQuery = true),
}

function readHeader({ headers, omitted }, text, flag) {
  const [, name, separator, value] = /^([^:;@][^:;]*)([:;])\s*([^]*)$/.exec(text) ?? []
  // curl reads a file, or sends nothing.
  if (name === undefined) omitted.push(`${flag} ${text}`)
  // Without a value, a colon removes a header of curl's own, and a semicolon sends an empty one.
  else if (value || separator === ';') headers.push([name.trim(), value.trim()])
}

/** curl would read the file. */
function readData(command, value, flag) {
  command.implied = 'POST'
  if (value.startsWith('@')) command.omitted.push(`${flag} ${value}`)
  else command.bodies.push(value)
}

function readJson(command, value, flag) {
  readData(command, value, flag)
  // The values of this flag are joined without `&`.
  command.bodies = command.bodies.length > 0 ? [command.bodies.join('')] : []
  command.own.push(['Content-Type', 'application/json'], ['Accept', 'application/json'])
}

function readEncoded(list, text, { command, flag }) {
  const [, name, mark, value] = /^([^=@]*)([=@])([^]*)$/.exec(text) ?? []
  if (mark === '@') command.omitted.push(`${flag} ${text}`)
  else list.push((name ? `${name}=` : '') + encodeURIComponent(value ?? text))
}

/** The composer has no rows for the fields of such a form. */
function readForm(command, _value, flag) {
  command.implied = 'POST'
  command.omitted.push(flag)
}

/** The request of a curl command, for this service. Undefined if the text is no such command. */
export function parseCurl(text) {
  const { words, variables, rest } = toWords(text) ?? {}
  if (words === undefined) return undefined
  const command = { headers: [], own: [], bodies: [], query: [], urls: [], omitted: [] }
  while (words.length > 0) readFlag(command, words)
  if (rest) command.omitted.push(rest.length > 60 ? `${rest.slice(0, 60)}…` : rest)
  return toRequest(command, variables)
}

/** Removes the first word, and the next one if it is the value of the first. */
function readFlag(command, words) {
  const [first, ...others] = splitFlags(words.shift())
  words.unshift(...others)
  const [, flag = '', joined] = /^(--[\w-]+|-\w)(?:=|(?<=^-\w))?([^]+)?$/.exec(first) ?? []
  const name = flag.startsWith('--') ? flag.slice(2) : letters[flag.slice(1)]
  const value = () => joined ?? words.shift() ?? ''
  if (Object.hasOwn(readers, name)) readers[name](command, value(), flag)
  else if (Object.hasOwn(switches, name)) switches[name](command)
  else if (skipped.test(flag)) {
    command.omitted.push(flag)
    value()
  } else if (first === '--next' || first === '-:')
    command.omitted.push([first, ...words.splice(0)].join(' '))
  else if (!first.startsWith('-')) command.urls.push(first)
  else if (!idle.test(first)) command.omitted.push(first)
}

function toRequest(command, variables) {
  const { bodies, isQuery, implied, omitted } = command
  const url = takeUrl(command)
  // Without a scheme, curl takes the first part for the host.
  const whole = /^(\w+:\/\/|\/|$)/.test(url) ? url : `http://${url}`
  const parsed = URL.parse(whole, location.origin)
  // A placeholder such as `<host>` is no host.
  const known = parsed ?? URL.parse(whole.replace(/^\w+:\/\/[^/?]*/, ''), location.origin)
  const { pathname: path = '/', search = '' } = known ?? {}
  // A page sends its requests in its own sandbox.
  const pathname = path.replace(/^\/s\/(?!join\/)[^/]+(?=\/|$)/, '') || '/'
  const query = [search.slice(1), ...command.query, ...(isQuery ? bodies : [])].filter(Boolean)
  const hasBody = bodies.length > 0 && !isQuery
  const ofData = isQuery ? undefined : (implied ?? (hasBody ? 'POST' : undefined))
  const method = command.method ?? ofData ?? 'GET'
  const all = [...toOwnHeaders(command, parsed), ...command.headers]
  const type = all.find(isType)?.[1] ?? 'application/x-www-form-urlencoded'
  return {
    method,
    target: pathname + (query.length > 0 ? `?${query.join('&').replaceAll(' ', '%20')}` : ''),
    headers: all.filter((one) => !isType(one)),
    notes: [
      ...toNotes(parsed, omitted, variables),
      ...(hasBody && isSafe(method) ? [`A page cannot send a body with ${method}.`] : []),
    ],
    ...(hasBody && { type, body: bodies.join('&') }),
  }
}

const isType = ([name]) => /^content-type$/i.test(name)

/** The first word that can only be a URL: one before it can be the value of an unknown flag. */
function takeUrl({ urls, omitted }) {
  const index = urls.findIndex((one) => /^(\w+:\/)?\//.test(one))
  const [url = '/'] = urls.splice(Math.max(0, index), 1)
  omitted.push(...urls)
  return url
}

/** Those of flags. curl sends none that the command has as a header too. */
function toOwnHeaders({ headers, own, user, omitted }, url) {
  const ofUrl = [url?.username, url?.password].map((one) => decodeLoosely(one ?? '')).join(':')
  const given = user === undefined ? ofUrl : user.includes(':') ? user : `${user}:`
  const isComputed = omitted.some((one) => schemes.test(one))
  if (isComputed && user !== undefined) omitted.push('-u')
  const basic = given === ':' || isComputed ? [] : [['Authorization', toBasic(given)]]
  return [...basic, ...own].filter(
    ([name]) => !headers.some(([one]) => one.toLowerCase() === name.toLowerCase()),
  )
}

/** What is not sent as the command says. */
function toNotes(url, omitted, variables) {
  const list = (texts) => new Intl.ListFormat('en').format(new Set(texts))
  const isOwn = url?.host === location.host
  const host = url ? url.host || url.href : 'the host of the command'
  const verb = new Set(omitted).size > 1 ? 'are' : 'is'
  return [
    ...(isOwn ? [] : [`The request is sent to this service, not to ${host}.`]),
    ...(omitted.length > 0 ? [`${list(omitted)} ${verb} left out.`] : []),
    ...(variables.length > 0 ? [`Replace ${list(variables)} before you send.`] : []),
  ]
}

const toBasic = (text) =>
  `Basic ${globalThis.btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`

// The words of a command, as a shell reads them.

/** The last alternative ends where a shell would begin another command. */
const part =
  /\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|(?:(?!\$'|;(?:\s|$))[^\s'"\\|])+/g
/** A line that begins with a flag continues the command, also where the backslash before it is missing. */
const gap = String.raw`(?:[^\S\n]|\n(?=\s*-))*`
/** Redirections, operators and comments. */
const stop = String.raw`(?!\d?>|<[<\s]|&+(?:\s|$)|#)`
const word = new RegExp(`${gap}${stop}((?:${part.source})+)`, 'gy')
const start = /^\s*(?:[$%>] +)?(?=curl(?:\.exe)?\s)/
const variable = /(?<!\\)\$(?:\w+|\{\w+\}|\([^)]*\)?)/g

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

/** The command as bash reads it. A field of one line has lost the ends of the lines. */
function toBash(text) {
  // In the command prompt of Windows, a caret is before each special character and each end of a line.
  const isWindows = /\^["\r\n]/.test(text)
  const plain = isWindows ? text.replaceAll(/\^(\r?\n|[^])/g, (_, one) => one.trim() || ' ') : text
  return plain.replaceAll(/[\\`]\r?\n| \\(?= )/g, ' ').trim()
}

/**
 * The words after `curl`, the shell variables in them, and the text after the command. Undefined if the text does not
 * begin with curl.
 */
function toWords(text) {
  if (!start.test(text)) return undefined
  const source = toBash(text.replace(start, ''))
  const found = [...source.matchAll(word)]
  const parts = found.map(([, one]) => one.match(part))
  const last = found.at(-1)
  const rest = source.slice(last.index + last[0].length).trim()
  return {
    words: parts.slice(1).map((all) => all.map(toPlain).join('')),
    variables: parts
      .flat()
      .flatMap((one) => (/^\$?'/.test(one) ? [] : (one.match(variable) ?? []))),
    rest: rest.startsWith('#') ? '' : rest,
  }
}
