// What a page may store of a request, and put into a link: everything but the values of secrets.
import { decodeLoosely } from './dom.js'
import { isSecretName } from './secret-names.js'
import { findSecret } from './secret-values.js'

/** The member of an object that names another one, as in `{"name": "password", "value": "c0ffee"}`. */
const naming = /^(attribute|field|header|id|key|name|param|parameter|property|variable)$/i
const named = /^(content|current|data|default|example|new|old|raw|text|v|val|value)/i
/** The segment of a path before a secret, as in `/reset-password/c0ffee`. */
const secretSegment = /(password|passwd|secret|token|api[-_]?key|^join)s?$/i

const decode = (text) => decodeLoosely(text.replaceAll('+', ' '))

/** The names with a value in a text such as a header, a URL or a part of JSON. */
const findNames = (text) =>
  Array.from(decode(decode(text)).matchAll(/([\w-]+)["']?\s*[:=]/g), ([, name]) => name)

/** The names of the secrets in a text that has no known form. */
const findWords = (text) => decode(text).match(/[\w-]+/g) ?? []

/** Returns the text without the values of secrets, and adds their names to `found`. */
function cleanBody(text, found) {
  const json = parseJson(text)
  if (json !== undefined) return cleanJson(text, json, found)
  if (/^[^\s=&]+=[^\s]*$/.test(text)) return cleanPairs(text, found)
  return cleanText(text, findWords, found)
}

function parseJson(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function cleanJson(text, json, found) {
  const members = [...text.matchAll(/("(?:[^"\\]|\\[^])*")(\s*:)?/g)].filter(([, , colon]) => colon)
  const secrets = members.map(([, name]) => JSON.parse(name)).filter(isSecretName)
  // Of two members with the same name, only the last one is parsed: the others cannot be cleaned.
  if (secrets.length > 0 && members.length !== countMembers(json)) {
    found.push(...secrets)
    return ''
  }
  const before = found.length
  const cleaned = cleanValue('', json, found)
  return found.length === before ? text : JSON.stringify(cleaned, undefined, 2)
}

function countMembers(value) {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce((sum, one) => sum + countMembers(one), own)
}

function cleanValue(name, value, found) {
  const isEmpty = value === '' || value === null || value === undefined
  if (isSecretName(name) && !isEmpty) {
    found.push(name)
    return ''
  }
  if (Array.isArray(value)) return cleanArray(value, found)
  if (typeof value === 'object' && value !== null) return cleanObject(value, found)
  if (typeof value !== 'string') return value
  return parseJson(value) ? cleanBody(value, found) : cleanText(value, findNames, found)
}

const isSecretWord = (value) => /^[\w.-]+$/.test(value) && isSecretName(value)

/** Two texts can be a name and its value, as in `["Authorization", "c0ffee"]`. */
function cleanArray(all, found) {
  const [name, value] = all
  const isPair = all.length === 2 && typeof value === 'string' && isSecretWord(name)
  return isPair
    ? [name, cleanValue(name, value, found)]
    : all.map((one) => cleanValue('', one, found))
}

function cleanObject(value, found) {
  const entries = Object.entries(value)
  const [nameKey, secret] =
    entries.find(([key, one]) => naming.test(key) && isSecretWord(one)) ?? []
  const clean = ([key, one]) => {
    if (key === nameKey) return [key, one]
    return [key, cleanValue(secret && named.test(key) ? secret : key, one, found)]
  }
  return Object.fromEntries(entries.map(clean))
}

function cleanText(text, find, found) {
  const names = [...find(text).filter(isSecretName), findSecret(decode(text)) ?? []].flat()
  found.push(...names)
  return names.length > 0 ? '' : text
}

/** Only what is left out changes: the other fields keep how they are encoded. */
function cleanPairs(text, found) {
  const cleaned = text.split('&').map((pair) => {
    const [name] = pair.split('=', 1)
    const value = decode(pair.slice(name.length + 1))
    return cleanValue(decode(name), value, found) === value ? pair : `${name}=`
  })
  return cleaned.join('&')
}

function cleanPath(path, found) {
  let before = ''
  const cleaned = path.split('/').map((segment) => {
    const name = decode(before)
    before = segment
    // The keys of sandboxes are at least this long.
    if (name === 's' && /^([rw]\.)?[\w-]{16,64}$/.test(segment))
      return cleanValue('token', segment, found)
    if (secretSegment.test(name))
      return cleanValue(isSecretName(name) ? name : 'token', segment, found)
    return segment.includes('=') ? cleanMatrix(segment, found) : cleanText(segment, () => [], found)
  })
  return cleaned.join('/')
}

/** RFC 3986 §3.3: a segment can have parameters, as in `;token=c0ffee`. */
const cleanMatrix = (segment, found) =>
  segment
    .split(';')
    .map((pair) => cleanPairs(pair, found))
    .join(';')

/** JSON can be deeper than the stack. */
function cleanOrOmit(body, found) {
  try {
    return cleanBody(body, found)
  } catch {
    return ''
  }
}

/** The request without the values that only its sender may know, and the names of what is missing. */
export function withoutSecrets({ target, headers, body, ...request }) {
  const found = []
  // The part after `#` is not sent.
  const [path, ...rest] = target.split('#', 1)[0].split('?')
  const query = rest.length > 0 ? `?${cleanPairs(rest.join('?'), found)}` : ''
  const cleanedPath = cleanPath(path, found)
  const kept = headers.filter(([name, value]) => cleanValue(name, value, found) === value)
  const cleaned = body && cleanOrOmit(body, found)
  const isBodyMissing = Boolean(body) && cleaned === ''
  const shared = { ...request, target: cleanedPath + query, headers: kept, body: cleaned }
  return { shared, missing: { names: [...new Set(found)], isBodyMissing } }
}
