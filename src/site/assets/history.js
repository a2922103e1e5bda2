// The requests of a composer that were sent before: the newest one in the fragment of the URL, the latest in a list.
import { listMissing } from './composer-headers.js'
import { isSafe } from './curl.js'
import { create, findSandbox, local } from './dom.js'
import { isSecretName } from './secret-names.js'
import { withoutSecrets } from './without-secrets.js'

const maxHistory = 20
/** In a longer text, a link cannot be sent by mail, and the history would fill the storage. */
const maxLength = 16_384
const maxNames = 10

/** Puts a request that was sent into the fragment of the URL and the history. Returns notes about what is left out. */
export function keepRequest({ method, target, headers, type, body, form, missing: known }) {
  if (form) return ['A form with files is not in the link and the history.']
  const sent = isSafe(method) ? {} : { type, body }
  const { shared, missing: found } = withoutSecrets({ method, target, headers, ...sent })
  const missing = mergeMissing(known, found)
  const isComplete = missing.names.length === 0 && !missing.isBodyMissing
  const text = JSON.stringify(isComplete ? shared : { ...shared, missing })
  const isTooLong = text.length > maxLength
  const url = isTooLong ? location.pathname + location.search : `#${encodeURIComponent(text)}`
  history.replaceState(null, '', url)
  if (isTooLong) return ['The request is too long for a link and for the history.']
  const others = readStored().filter((one) => JSON.stringify(one) !== text)
  local.requests = JSON.stringify([JSON.parse(text), ...others].slice(0, maxHistory))
  const names = listMissing(found)
  return [
    ...(names === '' ? [] : [`The link and the history leave out ${names}.`]),
    ...(findSandbox() ? ['The link does not contain your sandbox: share its own link too.'] : []),
  ]
}

export function showHistory(place, fill) {
  if (!place.open) return
  const items = readHistory().map((request) => {
    const text = `${request.method} ${request.target}`.slice(0, 80)
    const button = create('button', { type: 'button' }, text)
    button.addEventListener('click', () => fill(request))
    return create('li', {}, button)
  })
  place.lastElementChild.replaceChildren(...items)
  if (items.length === 0)
    place.lastElementChild.append(create('li', {}, 'Requests that you send appear here.'))
}

/** A link to a part of the page has a fragment too. */
export function openFragment(composers) {
  const fragment = location.hash
  if (document.getElementById(fragment.slice(1))) return
  const request = parseFragment(fragment)
  const composer = composers.find((one) => request && one.isFor(request)) ?? composers[0]
  if (request) composer.fill(request)
  else composer.note('The link does not have a valid request.')
}

/** Anyone can write a link, so that its parts are checked. Undefined if it has no request. */
function parseFragment(fragment) {
  try {
    return parseRequest(JSON.parse(decodeURIComponent(fragment.slice(1))), 'This link')
  } catch {
    return undefined
  }
}

function parseRequest({ method, target, headers = [], type, body, missing }, place) {
  const isText = (value) => typeof value === 'string'
  const isPair = (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText)
  const isValid =
    isText(method) && isText(target) && Array.isArray(headers) && headers.every(isPair)
  if (!isValid || ![type, body].every((one) => one === undefined || isText(one))) return undefined
  const { shared, missing: found } = withoutSecrets({ method, target, headers, type, body })
  return { ...shared, missing: { ...mergeMissing(parseMissing(missing), found), place } }
}

/** The page shows these names: none of them can be a text of somebody else. */
function parseMissing({ names = [], isBodyMissing } = {}) {
  const isShown = (name) => /^[\w[\].-]{1,40}$/.test(name) && isSecretName(name)
  return { names: names.filter(isShown).slice(0, maxNames), isBodyMissing: isBodyMissing === true }
}

const mergeMissing = (...all) => ({
  names: [...new Set(all.flatMap(({ names }) => names))],
  isBodyMissing: all.some((one) => one.isBodyMissing),
})

function readStored() {
  try {
    return [JSON.parse(local.requests ?? '[]')].flat()
  } catch {
    return []
  }
}

function readHistory() {
  try {
    return readStored().flatMap((one) => parseRequest(one, 'The history') ?? [])
  } catch {
    return []
  }
}
