// The composer of the home page: header rows, a pasted curl command, a history, and the request in the fragment of
// the URL. Filling the form never sends a request.
import { create, local } from './dom.js'

const maxHistory = 20
/** A page must not store them, and a link must not have them. */
const isSecret = (name) =>
  /^(proxy-)?authorization$|^cookie$|^x-inspector$|token|secret|api-?key/i.test(name)
/** Fetch Standard, forbidden request-headers. */
const isForbidden = (name) =>
  /^(accept-(charset|encoding)|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*|sec-.*)$/i.test(
    name,
  )

export function openComposer(form, { start, onFill }) {
  const find = (part) => form.querySelector(`[data-in=${part}]`)
  const rows = form.querySelector('[data-part=headers]')
  const addRow = (name = '', value = '') => {
    const text = (label, list) =>
      create('input', {
        type: 'text',
        'aria-label': label,
        list,
        autocomplete: 'off',
        spellcheck: 'false',
      })
    const row = create('div', { class: 'pair' }, text('Header', 'names'), text('Value', 'values'))
    const [first, second] = row.children
    first.value = name
    second.value = value
    rows.append(row)
  }
  const readRows = () =>
    [...rows.children]
      .map((row) => Array.from(row.querySelectorAll('input'), ({ value }) => value.trim()))
      .filter(([name]) => name)
  const read = () => {
    const [method, target, type, body] = ['method', 'target', 'type', 'body'].map(
      (one) => find(one).value,
    )
    const accept = ['Accept', find('header').value]
    return { method, target, headers: [accept, ...readRows()], ...(body && { type, body }) }
  }
  const fill = ({ method = 'GET', target = '/', headers = [], type, body = '' }) => {
    setOption(find('method'), method)
    find('target').value = target
    setOption(find('header'), headers.find(([name]) => /^accept$/i.test(name))?.[1] ?? '*/*')
    if (type) setOption(find('type'), type)
    find('body').value = body
    const others = headers.filter(([name]) => !/^accept$/i.test(name))
    rows.replaceChildren()
    for (const header of others) addRow(...header)
    addRow()
    rows.parentElement.open = others.length > 0
    onFill()
    note()
  }
  const note = () => {
    const kept = readRows().filter(([name]) => isForbidden(name))
    const names = kept.map(([name]) => name).join(', ')
    const text = `A page cannot set ${names}: only the curl command has it.`
    form.querySelector('[data-part=forbidden]').textContent = kept.length > 0 ? text : ''
    form.querySelector('.command code').textContent = toCurl(read())
  }
  const share = () => {
    history.replaceState(null, '', toFragment(read()))
  }
  const open = () => {
    try {
      const request = parseRequest(decodeURIComponent(location.hash.slice(1)))
      if (request) fill(request)
    } catch {
      // A fragment can also be the id of a part of the page.
    }
  }
  rows.addEventListener('input', ({ target }) => {
    if (target.value !== '' && target.closest('.pair') === rows.lastElementChild) addRow()
  })
  form.addEventListener('input', note)
  find('target').addEventListener('paste', (event) => {
    const request = parseCurl(event.clipboardData.getData('text'))
    if (!request) return
    event.preventDefault()
    fill(request)
  })
  globalThis.addEventListener('hashchange', open)
  fill(start)
  showHistory(form, fill)
  open()
  return {
    fill,
    headers: () => readRows().filter(([name]) => !isForbidden(name)),
    remember: () => {
      share()
      remember(withoutSecrets(read()))
      showHistory(form, fill)
    },
  }
}

function setOption(select, value) {
  if (![...select.options].some((one) => one.value === value))
    select.append(create('option', {}, value))
  select.value = value
}

/** A request without what only its sender may know. */
function withoutSecrets({ headers, ...request }) {
  return { ...request, headers: headers.filter(([name]) => !isSecret(name)) }
}

/** The fragment of the URL of the home page that fills the composer with the request. */
export function toFragment({ headers, type, ...request }) {
  const isType = ([name]) => /^content-type$/i.test(name)
  const kept = headers.filter((one) => !isType(one))
  const all = { ...request, headers: kept, type: type ?? headers.find(isType)?.[1] }
  return `#${encodeURIComponent(JSON.stringify(withoutSecrets(all)))}`
}

/** Anyone can write a link: what it has is text for the fields of the form. Undefined if it is no request. */
function parseRequest(text) {
  const { method, target, headers = [], type, body } = JSON.parse(text)
  const isText = (value) => typeof value === 'string'
  const isPair = (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText)
  const isValid =
    isText(method) && isText(target) && Array.isArray(headers) && headers.every(isPair)
  if (!isValid || ![type, body].every((one) => one === undefined || isText(one))) return undefined
  return withoutSecrets({ method, target, headers, type, body })
}

function readHistory() {
  try {
    return JSON.parse(local.requests ?? '[]')
      .map((one) => parseRequest(JSON.stringify(one)))
      .filter(Boolean)
  } catch {
    return []
  }
}

function remember(request) {
  const text = JSON.stringify(request)
  const others = readHistory().filter((one) => JSON.stringify(one) !== text)
  local.requests = JSON.stringify([request, ...others].slice(0, maxHistory))
}

function showHistory(form, fill) {
  const items = readHistory().map((request) => {
    const button = create(
      'button',
      { type: 'button' },
      `${request.method} ${request.target}`.slice(0, 80),
    )
    button.addEventListener('click', () => fill(request))
    return create('li', {}, button)
  })
  const list = form.querySelector('[data-part=history]')
  list.replaceChildren(...items)
  list.parentElement.hidden = items.length === 0
}

const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`

function toCurl({ method, target, headers, type, body }) {
  const hasBody = body && method !== 'GET' && method !== 'HEAD'
  const all = hasBody ? [...headers, ['Content-Type', type]] : headers
  const start = { GET: 'curl -i', HEAD: 'curl -I' }[method] ?? `curl -i -X ${method}`
  const flags = all.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const data = hasBody ? [`--data-raw ${quote(body)}`] : []
  return [start, quote(location.origin + target), ...flags, ...data].join(' ')
}

const word = /\s*((?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\])+)/y

/** The words of a command, as a shell reads them. */
function toWords(text) {
  const words = []
  word.lastIndex = 0
  const source = text.replaceAll(/\\\r?\n/g, ' ').trim()
  for (let match = word.exec(source); match; match = word.exec(source)) {
    const parts = match[1].match(/'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\]+/g)
    const plain = parts.map((part) => {
      if (part.startsWith("'")) return part.slice(1, -1)
      if (part.startsWith('"')) return part.slice(1, -1).replaceAll(/\\([\\"$`])/g, '$1')
      return part.startsWith('\\') ? part.slice(1) : part
    })
    words.push(plain.join(''))
  }
  return words
}

/** The request of a curl command, for this service. Undefined if the text is no such command. */
function parseCurl(text) {
  const [name, ...words] = toWords(text)
  if (!/^curl(\.exe)?$/.test(name ?? '')) return undefined
  const headers = []
  const bodies = []
  let [method, url] = []
  const take = () => words.shift() ?? ''
  while (words.length > 0) {
    const [, flag = '', joined] =
      /^(--[\w-]+|-[XHdAeub])(?:=|(?<=^-.))?(.+)?$/s.exec(words[0]) ?? []
    const first = take()
    const value = () => joined ?? take()
    if (/^(-X|--request)$/.test(flag)) method = value()
    else if (/^(-H|--header)$/.test(flag)) headers.push(splitHeader(value()))
    else if (/^(-d|--data.*)$/.test(flag)) bodies.push(value())
    else if (flag === '--json') {
      bodies.push(value())
      headers.push(['Content-Type', 'application/json'], ['Accept', 'application/json'])
    } else if (/^(-A|--user-agent)$/.test(flag)) headers.push(['User-Agent', value()])
    else if (/^(-b|--cookie)$/.test(flag)) headers.push(['Cookie', value()])
    else if (/^(-u|--user)$/.test(flag))
      headers.push(['Authorization', `Basic ${globalThis.btoa(value())}`])
    else if (/^(-I|--head)$/.test(first)) method = 'HEAD'
    else if (!first.startsWith('-')) url ??= first
  }
  // Without a scheme, curl takes the first part for the host.
  const whole = /^(\w+:|\/|$)/.test(url ?? '') ? (url ?? '/') : `http://${url}`
  const { pathname, search } = new URL(whole, location.origin)
  const isType = ([one]) => /^content-type$/i.test(one)
  const type = headers.find(isType)?.[1] ?? 'application/x-www-form-urlencoded'
  const body = bodies.length > 0 ? { type, body: bodies.join('&') } : {}
  method ??= bodies.length > 0 ? 'POST' : 'GET'
  return {
    method,
    target: pathname + search,
    headers: headers.filter((one) => !isType(one)),
    ...body,
  }
}

function splitHeader(text) {
  const [, name, value] = /^([^:]*): ?(.*)$/s.exec(text) ?? [text, text, '']
  return [name.trim(), value.trim()]
}
