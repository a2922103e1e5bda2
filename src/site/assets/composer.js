// The composer of requests: the method, the path, headers and the body, with fields of the page that set them. Filling
// it never sends a request.
import { renderCodeBlock } from './body.js'
import { parseCurl, toCurl } from './curl.js'
import { create } from './dom.js'
import { parseFragment, readHistory, remember, toFragment, withoutSecrets } from './share.js'

/** Fetch Standard, forbidden request-headers. */
const isForbidden = (name) =>
  /^(accept-(charset|encoding)|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*|sec-.*)$/i.test(
    name,
  )
export const isSafe = (method) => method === 'GET' || method === 'HEAD'
const multipart = 'multipart/form-data'

const suggestions = {
  'header-names': [
    ...['Accept-Language', 'Authorization', 'Cache-Control', 'Content-Language', 'Idempotency-Key'],
    ...['If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Range', 'Prefer', 'Range'],
  ],
  'header-values': ['bytes=0-99', 'de', 'no-cache', 'return=minimal', '"1"', '*'],
}

/**
 * `values` turns the fields of the page into the path and the body, and back. `readTarget` can return another path to
 * use in place of one that fills the form.
 */
export function openComposer(form, { chips = [], values = createValues(form), onFill } = {}) {
  const find = (part) => form.querySelector(`[data-in=${part}]`)
  const headerFields = [...form.querySelectorAll('[data-in=header]')]
  const required = [...form.querySelectorAll('.values [required]')]
  const rows = form.querySelector('[data-part=headers]')
  const emptyRow = rows.lastElementChild.cloneNode(true)
  const addRow = (...texts) => {
    const row = emptyRow.cloneNode(true)
    for (const [index, text] of texts.entries()) row.children[index].value = text
    rows.append(row)
  }
  const readRows = () =>
    [...rows.children]
      .map((row) => Array.from(row.children, ({ value }) => value.trim()))
      .filter(([name]) => name)
  const read = () => {
    const [method, target, type, body] = ['method', 'target', 'type', 'body'].map(
      (one) => find(one).value,
    )
    const added = readRows()
    const own = headerFields
      .filter((field) => field.value && !added.some(([name]) => isNamed(field, name)))
      .map(({ dataset, value }) => [dataset.name, value])
    const headers = [...own, ...added]
    if (type !== multipart || isSafe(method)) return { method, target, headers, type, body }
    const fields = [...new FormData(form)].filter(([name]) => name !== '_method')
    return { method, target, headers, type, form: fields }
  }
  const fill = ({ method = 'GET', target = '/', headers = [], type, body = '' }) => {
    setOption(find('method'), method)
    find('target').value = target
    const others = headers.filter(([name]) => !headerFields.some((field) => isNamed(field, name)))
    for (const field of headerFields) setHeader(field, headers)
    rows.replaceChildren()
    for (const header of others) addRow(...header)
    addRow()
    rows.parentElement.open ||= others.length > 0
    if (type) setOption(find('type'), type)
    find('body').value = body
    values.readBody?.(body, find('type').value)
    find('target').value = values.readTarget(target) ?? target
    for (const group of form.querySelectorAll('.values details'))
      group.open ||= [...group.querySelectorAll('input, select')].some(isFilled)
    show()
    onFill?.()
  }
  const readCurl = (text) => {
    const request = parseCurl(text)
    if (request) fill(request)
    return request !== undefined
  }
  const show = (current) => {
    const request = read()
    form.querySelector('[data-part=body]').hidden = isSafe(request.method)
    form.querySelector('[data-part=text]').hidden = request.form !== undefined
    // With another path, the fields have no meaning.
    const isOwn = values.isOwn?.(request.target) !== false
    for (const field of required)
      field.required = isOwn && (field.type !== 'file' || request.form !== undefined)
    showCommand(form, request)
    const key = toKey(request)
    for (const chip of chips) {
      const isCurrent = chip === current || toKey(JSON.parse(chip.dataset.fill)) === key
      chip.ariaCurrent = isCurrent ? 'true' : null
    }
  }
  const note = (...sentences) => {
    const names = readRows().flatMap(([name]) => (isForbidden(name) ? name : []))
    const kept = `A page cannot set ${names.join(', ')}: only the curl command has it.`
    const all = [...(names.length > 0 ? [kept] : []), ...sentences]
    form.querySelector('[data-part=notes]').textContent = all.join(' ')
  }
  form.addEventListener('input', ({ target, inputType = '', data }) => {
    if (target.dataset.in === 'target') {
      // Text that is typed can be the start of a command.
      const isTyped = /^delete|Composition/.test(inputType) || data?.length === 1
      if (isTyped || !readCurl(target.value)) values.readTarget(target.value)
    } else if (target.dataset.in === 'body') values.readBody?.(target.value, find('type').value)
    else if (target.dataset.in === 'type') showBody(target.selectedOptions[0].dataset.example)
    else if (target.closest('.values') && target.dataset.in !== 'header') {
      find('target').value = values.toTarget()
      showBody()
    }
    if (rows.contains(target) && target.value && target.parentElement === rows.lastElementChild)
      addRow()
    show()
    note()
  })
  const showBody = (example = values.toBody?.(find('type').value)) => {
    find('body').value = example ?? find('body').value
  }
  find('target').addEventListener('change', ({ target }) => readCurl(target.value))
  find('target').addEventListener('paste', (event) => {
    // The field would remove the ends of the lines.
    if (readCurl(event.clipboardData.getData('text'))) event.preventDefault()
  })
  for (const chip of chips) {
    chip.addEventListener('click', (event) => {
      // With a modifier key, the browser opens the link.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      fill(JSON.parse(chip.dataset.fill))
      show(chip)
      form.querySelector('[type=submit]').focus()
    })
  }
  form.querySelector('[data-part=history]').addEventListener('toggle', ({ target }) => {
    showHistory(target, fill)
  })
  addSuggestions()
  show()
  return {
    fill,
    note,
    read: () => {
      readCurl(find('target').value)
      const { headers, ...request } = read()
      return { ...request, headers, sendable: headers.filter(([name]) => !isForbidden(name)) }
    },
    isFor: ({ method, target }) => find('method').value === method && values.isOwn?.(target),
    keep: (request) => {
      note(...keep(request))
      showHistory(form.querySelector('[data-part=history]'), fill)
    },
  }
}

const isFilled = ({ type, checked, value }) => (type === 'checkbox' ? checked : value !== '')
const isNamed = ({ dataset }, name) => dataset.name.toLowerCase() === name.toLowerCase()

function setHeader(field, headers) {
  const [, value] = headers.find(([name]) => isNamed(field, name)) ?? []
  if (field.matches('select')) setOption(field, value ?? '*/*')
  else field.value = value ?? ''
}

function setOption(select, value) {
  if (![...select.options].some((one) => one.value === value))
    select.append(create('option', {}, value))
  select.value = value
}

const toKey = ({ method, target, headers, body = '' }) => {
  const accept = headers.find(([name]) => /^accept$/i.test(name))?.[1]
  return JSON.stringify([method, target, accept, isSafe(method) ? '' : body])
}

function showCommand(form, request) {
  const code = form.querySelector('.command code')
  code.replaceChildren(...renderCodeBlock(toCurl(request), 'code').firstChild.childNodes)
}

/** Puts a request that was sent into the fragment of the URL and the history. Returns sentences about what they lack. */
function keep({ method, target, headers, type, body, form }) {
  if (form) return ['A link and the history cannot have a form with files.']
  const sent = isSafe(method) ? {} : { type, body }
  const { shared, names } = withoutSecrets({ method, target, headers, ...sent })
  const fragment = toFragment(shared)
  history.replaceState(null, '', fragment ?? location.pathname + location.search)
  if (!fragment) return ['The request is too long for a link and for the history.']
  remember(shared)
  return names.length > 0 ? [`The link and the history are without ${names.join(', ')}.`] : []
}

function showHistory(place, fill) {
  if (!place.open) return
  const items = readHistory().map((request) => {
    const text = `${request.method} ${request.target}`.slice(0, 80)
    const button = create('button', { type: 'button' }, text)
    button.addEventListener('click', () => fill(request))
    return create('li', {}, button)
  })
  place.lastElementChild.replaceChildren(...items)
  if (items.length === 0) place.lastElementChild.append(create('li', {}, 'Requests that you send.'))
}

function addSuggestions() {
  if (document.querySelector('#header-names')) return
  for (const [id, texts] of Object.entries(suggestions)) {
    document.body.append(
      create('datalist', { id }, ...texts.map((one) => create('option', {}, one))),
    )
  }
}

/** A link to a part of the page has a fragment too. */
export function openFragment(composers) {
  const open = () => {
    const fragment = location.hash
    if (fragment.length < 2 || document.getElementById(fragment.slice(1))) return
    const request = parseFragment(fragment)
    const composer = composers.find((one) => request && one.isFor(request)) ?? composers[0]
    if (request) composer.fill(request)
    composer.note(...(request ? [] : ['The link has no request that can be read.']))
  }
  globalThis.addEventListener('hashchange', open)
  open()
}

/** The fields of a path with `{name}`, of its query and of a form. */
function createValues(form) {
  const { path, method } = JSON.parse(form.dataset.request)
  const isGet = method === 'GET'
  const fields = [...form.querySelectorAll('[data-in=path], [data-in=query]')]
  const named = [...form.querySelectorAll('[name]:not([type=hidden], [type=file])')]
  const inPath = fields.filter((one) => one.dataset.in === 'path')
  const inQuery = [...fields.filter((one) => one.dataset.in === 'query'), ...(isGet ? named : [])]
  const toName = ({ name, dataset }) => name || dataset.name
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/?]*)')
  const pattern = new RegExp(`^${escaped}(?:[?](.*))?$`)
  /** The parameters that have no field. */
  let rest = []
  return {
    isOwn: (target) => pattern.test(target),
    toTarget: () => {
      const filled = inPath.reduce(
        (known, { dataset, value }) =>
          known.replace(`{${dataset.name}}`, () => encodeURIComponent(value)),
        path,
      )
      const pairs = inQuery
        .filter(({ name, value }) => name || value)
        .map((field) => [toName(field), field.value])
      const query = String(new URLSearchParams([...pairs, ...rest]))
      return query ? `${filled}?${query}` : filled
    },
    readTarget: (target) => {
      const match = pattern.exec(target)
      if (!match) return
      const params = new URLSearchParams(match.at(-1) ?? '')
      for (const [index, field] of inPath.entries()) field.value = toText(match[index + 1])
      for (const field of inQuery) field.value = params.get(toName(field)) ?? ''
      const names = inQuery.map(toName)
      rest = [...params].filter(([name]) => !names.includes(name))
    },
    toBody: (type) => {
      if (isGet || named.length === 0) return undefined
      const pairs = named.map(({ name, value }) => [name, value])
      if (/json/.test(type)) return JSON.stringify(Object.fromEntries(pairs))
      return /urlencoded/.test(type) ? String(new URLSearchParams(pairs)) : undefined
    },
    readBody: (text, type) => {
      const pairs = isGet ? undefined : toPairs(text, type)
      for (const field of named) if (pairs?.has(field.name)) field.value = pairs.get(field.name)
    },
  }
}

function toText(segment) {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function toPairs(text, type) {
  if (!/json/.test(type)) return new URLSearchParams(text)
  try {
    return new Map(Object.entries(JSON.parse(text)).map(([name, value]) => [name, String(value)]))
  } catch {
    return undefined
  }
}
