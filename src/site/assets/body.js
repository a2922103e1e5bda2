// Bodies by their kind: images, HTML in a sandboxed frame, JSON as a tree, CSV as a table.
import { maxShownLength, renderCodeBlock } from './code-block.js'
import { copy } from './commands.js'
import { create } from './dom.js'
import { isCommonHeader } from './highlight.js'
import { formatBytes } from './size.js'

/** As the browser received it, of a response that is not recorded. */
export function headView(headers) {
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}`)
  return renderCodeBlock(lines.filter((line) => !isCommonHeader(line)).join('\n'), 'head')
}

function prettyText(text, type) {
  const isJson = /json/.test(type) && !/ndjson/.test(type)
  // Indented, deep JSON would take 60 times its length.
  if (!isJson || text.length > maxShownLength) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** The body of a response that the server has not recorded. */
export function bodyView({ response, text, bytes = new TextEncoder().encode(text), ...result }) {
  const { isWhole = true, isCutOff, end = '' } = result
  const type = response.headers.get('content-type') ?? ''
  if (bytes.length === 0) {
    const message = isCutOff ? 'No part of the body arrived.' : 'There is no body.'
    return [create('p', { class: 'quiet' }, message)]
  }
  const size = isWhole ? formatBytes(bytes.length) : `more than ${end}`
  const [kind, view, note] = toKind({ text, bytes, type, isWhole })
  const facts = `${size}, ${type || 'without Content-Type'}.${note}`
  const shown = view.matches('img') ? view : create('div', { 'data-kind': kind }, view)
  shown.dataset.kind = kind
  shown.classList.toggle('hex', kind === 'hex')
  return [shown, create('p', { class: 'quiet' }, facts)]
}

function toKind({ text, bytes, type, isWhole }) {
  const [, image] = /^(image\/[\w.+-]+)/.exec(type) ?? []
  if (image && isWhole) {
    const source = `data:${image};base64,${toBase64(bytes)}`
    return ['image', create('img', { src: source, alt: 'The body' }), '']
  }
  if (text === '')
    return [
      'hex',
      renderCodeBlock(toHex(bytes.subarray(0, 256)), ''),
      ' These are the first bytes in hexadecimal notation.',
    ]
  const pretty = prettyText(text, type)
  const kind = /csv/.test(type)
    ? 'csv'
    : /json/.test(type)
      ? 'json'
      : /html|xml/.test(type)
        ? 'html'
        : 'text'
  const language = kind === 'json' || kind === 'html' ? kind : ''
  const note = pretty.length > maxShownLength ? ' This is the start.' : ''
  return [kind, renderCodeBlock(pretty.slice(0, maxShownLength), language), note]
}

function toBase64(bytes) {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return globalThis.btoa(text)
}

function toHex(bytes) {
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return pairs.replace(/(.{47}) /g, '$1\n')
}

/** Adds the other ways to show a body: see `data-kind` of `body-view.ts`. */
export function completeBodies(within) {
  for (const view of within.querySelectorAll('[data-kind]:not([data-done])')) {
    view.dataset.done = ''
    const complete = { image: addSize, html: addPreview, json: addTree, csv: addTable }
    complete[view.dataset.kind]?.(view)
  }
}

function addSize(image) {
  const show = () => {
    const { naturalWidth, naturalHeight, nextElementSibling: facts } = image
    if (naturalWidth > 0) facts?.prepend(`${naturalWidth} × ${naturalHeight} pixels, `)
  }
  const showBytes = () => {
    const text = globalThis.atob(image.src.slice(image.src.indexOf(',') + 1, 400))
    const bytes = Array.from(text.slice(0, 256), (one) => one.charCodeAt(0))
    image.replaceWith(create('div', { class: 'hex' }, renderCodeBlock(toHex(bytes), '')))
  }
  if (image.complete && image.naturalWidth > 0) return show()
  image.addEventListener('load', show, { once: true })
  image.addEventListener('error', showBytes, { once: true })
}

/** The frame has no scripts, forms or origin, and the CSP of this page: nothing is loaded from other hosts. */
function addPreview(view) {
  if (!/<(!doctype html|html|body|p|div|h1)\b/i.test(view.textContent)) return
  const preview = create('details', {}, create('summary', {}, 'Preview in a sandbox'))
  preview.addEventListener('toggle', () => {
    if (preview.querySelector('iframe')) return
    const page = new DOMParser().parseFromString(view.textContent, 'text/html')
    for (const script of page.querySelectorAll('script')) script.remove()
    const srcdoc = page.documentElement.outerHTML
    preview.append(create('iframe', { sandbox: '', title: 'Preview of the body', srcdoc }))
  })
  view.before(preview)
}

const maxTreeLines = 2000

/** Each object and list of the indented text folds, and each name copies its path. Arrow keys lead from one to the next. */
function addTree(view) {
  const lines = view.querySelector('code').textContent.split('\n')
  if (lines.length < 3 || lines.length > maxTreeLines || !/^[[{]$/.test(lines[0])) return
  const tree = create('div', { class: 'tree', role: 'group', 'aria-label': 'JSON, which folds' })
  const places = [{ place: tree, path: '$', index: -1 }]
  for (const line of lines) addLine(places, line.trim())
  view.replaceChildren(tree)
  const find = () => [...tree.querySelectorAll('button')].filter((one) => one.checkVisibility())
  tree.querySelector('button').tabIndex = 0
  tree.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const buttons = find()
    const next = step && buttons[buttons.indexOf(document.activeElement) + step]
    if (!next) return
    event.preventDefault()
    document.activeElement.tabIndex = -1
    next.tabIndex = 0
    next.focus()
  })
}

function addLine(places, line) {
  const row = create('div', {}, ...renderCodeBlock(line, 'json').firstChild.childNodes)
  if (/^[}\]],?$/.test(line)) {
    places.pop()
    return void places.at(-1).place.append(row)
  }
  const parent = places.at(-1)
  parent.index += 1
  const [, name] = /^("(?:[^"\\]|\\.)*"): /.exec(line) ?? []
  const path = parent.path + (places.length === 1 ? '' : toStep(name, parent.index))
  const key = row.querySelector('.t-key')
  if (key) key.replaceWith(pathButton(key.textContent, path))
  parent.place.append(row)
  if (!/[[{]$/.test(line)) return
  const place = create('div', { class: 'members' })
  row.prepend(foldButton(place, path))
  row.after(place)
  places.push({ place, path, index: -1 })
}

function toStep(name, index) {
  if (name === undefined) return `[${index}]`
  return /^"[A-Za-z_$][\w$]*"$/.test(name) ? `.${name.slice(1, -1)}` : `[${name}]`
}

function foldButton(place, path) {
  const label = { 'aria-expanded': 'true', 'aria-label': `Members of ${path}` }
  const button = create('button', { type: 'button', class: 'fold', tabindex: '-1', ...label })
  button.addEventListener('click', () => {
    place.hidden = !place.hidden
    button.ariaExpanded = String(!place.hidden)
  })
  return button
}

function pathButton(text, path) {
  const title = `Copy the path ${path}`
  const button = create('button', { type: 'button', class: 'name', tabindex: '-1', title }, text)
  button.addEventListener('click', async () => {
    await copy(path)
    button.classList.add('copied')
    setTimeout(() => button.classList.remove('copied'), 2000)
  })
  return button
}

const maxTableRows = 200

function addTable(view) {
  const rows = parseCsv(view.textContent)
  const [head = [], ...others] = rows
  if (head.length < 2 || others.length === 0) return
  const cell = (name) => (text) => create(name, { dir: 'auto' }, text)
  const body = others.slice(0, maxTableRows).map((row) => create('tr', {}, ...row.map(cell('td'))))
  const names = head.map((text) => create('th', { scope: 'col', dir: 'auto' }, text))
  const table = create(
    'table',
    {},
    create('thead', {}, create('tr', {}, ...names)),
    create('tbody', {}, ...body),
  )
  const source = create('details', {}, create('summary', {}, 'Source'), ...view.childNodes)
  const frame = { class: 'table', tabindex: '0', role: 'group', 'aria-label': 'CSV' }
  view.append(create('div', frame, table), source)
}

/** RFC 4180. */
function parseCsv(text) {
  const rows = [[]]
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    if (end === '' && !quoted && !plain && rows.at(-1).length === 0) continue
    rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== '' && end !== ',') rows.push([])
  }
  return rows.filter((row) => row.length > 0)
}
