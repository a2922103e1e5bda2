// What a page may store of a request, and put into a link: everything but the values of secrets.
import { isSecretName } from './secret-names.js'

function decode(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** The names with a value in a text such as a header, a URL or a part of JSON. */
const findNames = (text) =>
  Array.from(decode(decode(text)).matchAll(/([\w-]+)["']?\s*[:=]/g), ([, name]) => name)

/** The names of the secrets in a text that has no known form. */
const findWords = (text) => decode(text).match(/[\w-]+/g) ?? []

/** Returns the text without the values of secrets, and notes their names in `found`. */
function cleanBody(text, found) {
  const json = parseJson(text)
  if (json !== undefined) {
    const before = found.length
    const cleaned = JSON.stringify(json, (key, value) => cleanValue(key, value, found), 2)
    return found.length === before ? text : cleaned
  }
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

function cleanValue(name, value, found) {
  const isEmpty = value === '' || value === null || value === undefined
  if (isSecretName(name) && !isEmpty) {
    found.push(name)
    return ''
  }
  if (typeof value !== 'string') return value
  return parseJson(value) ? cleanBody(value, found) : cleanText(value, findNames, found)
}

function cleanText(text, find, found) {
  const names = find(text).filter(isSecretName)
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

/** The request without the values that only its sender may know, and their names. */
export function withoutSecrets({ target, headers, body, ...request }) {
  const found = []
  const [path, ...rest] = target.split('?')
  const query = rest.length > 0 ? `?${cleanPairs(rest.join('?'), found)}` : ''
  const kept = headers.filter(([name, value]) => cleanValue(name, value, found) === value)
  const cleaned = body && cleanBody(body, found)
  const shared = { ...request, target: path + query, headers: kept, body: cleaned }
  return { shared, names: [...new Set(found)] }
}
