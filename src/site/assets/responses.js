// The page /responses: its fields describe a response, and the composer has the request that gets it.
import { renderCodeBlock } from './code-block.js'
import { create } from './dom.js'
import { openFragments, openSender } from './send.js'

const form = document.querySelector('.compose > form')
const commands = Array.from(document.querySelectorAll('.commands code'), (code) => {
  return { code, text: code.textContent }
})
const [first] = commands
/** Of this page, so that others do not change the state of its sequence. */
const path = `/responses/sequence/${Math.random().toString(36).slice(2, 10)}`
const failure = (part) => form.querySelector(`[data-first=${part}]`)

/** Readable, and without quotation marks, so that it can be part of a command. */
function toQuery(pairs) {
  const encode = (text) =>
    encodeURIComponent(text)
      .replaceAll(/%(2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
      .replaceAll('%20', '+')
      .replaceAll("'", '%27')
  return pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&')
}

/** The query has only the parameters that are set. Those of a sequence describe its last response. */
function toTarget() {
  const pairs = [...new FormData(form)].filter(([name, value]) => name !== 'kind' && value !== '')
  const times = Number(failure('times').value)
  const query = toQuery(pairs)
  if (times === 0) return `/responses/custom${query && `?${query}`}`
  const others = pairs.filter(([name]) => name !== 'status')
  const { status = '200' } = Object.fromEntries(pairs)
  const steps = `${failure('status').value || '503'}*${times},${status}`
  const retryAfter = failure('retry_after').value
  const after = retryAfter === '' ? [] : [['retry_after', retryAfter]]
  return `${path}?${toQuery([['steps', steps], ...after, ...others])}`
}

const toTimes = (target) =>
  /^\/responses\/sequence\//.test(target)
    ? Number(/[?&]steps=\d+\*(\d+),/.exec(target)?.[1] ?? 0)
    : 0

function showTexts() {
  const target = form.querySelector('[data-in=target]').value
  const times = toTimes(target)
  for (const { code, text } of commands) {
    const command = text
      .replaceAll(first.text, () => location.origin + target)
      .replace('curl -i', times === 0 ? 'curl -i' : `curl -i --retry ${times}`)
    const language = text === first.text ? '' : 'code'
    code.replaceChildren(...renderCodeBlock(command, language).firstChild.childNodes)
  }
  document.querySelector('[data-part=steps]').textContent =
    times > 0 && target.startsWith(`${path}?`)
      ? `One click on Send sends ${times + 2} requests: DELETE, which begins the sequence again, and then this one ${times + 1} times.`
      : ''
  const option = form.querySelector(`#statuses [value="${form.elements.status.value}"]`)
  form.querySelector('[data-part=phrase]').textContent = option?.textContent ?? ''
}

/** All steps of a sequence that the fields describe, from its first one. */
async function sendSteps(url, options) {
  const { sendRequest } = await import('./exchange.js')
  const { pathname, search } = new URL(url)
  if (pathname !== path) return sendRequest(url, options)
  await fetch(`${path}/state`, { method: 'DELETE', signal: options.signal })
  const results = []
  const times = toTimes(pathname + search)
  while (results.length <= times) results.push(await sendRequest(url, options))
  return results
}

/** One field at a time: a response has one body. */
function addBodyChoice(fieldset) {
  const fields = [...fieldset.querySelectorAll('.field')]
  const radios = fields.map((field) => {
    const label = field.querySelector('label')
    const radio = create('input', { type: 'radio', name: 'kind', value: label.htmlFor })
    field.querySelector('textarea').ariaLabel = `Body, as ${label.textContent}`
    label.replaceWith()
    return create('label', {}, radio, ` ${label.textContent}`)
  })
  fieldset.querySelector('legend').after(create('div', {}, ...radios))
  return (kind) => {
    for (const field of fields) {
      const area = field.querySelector('textarea')
      area.disabled = area.name !== kind
      field.hidden = area.disabled
    }
    form.elements.kind.value = kind
  }
}

const chooseBody = addBodyChoice(form.querySelector('[data-part=bodies]'))

/** Fills the fields from the path. Returns the path of a sequence with the key of this page. */
function readTarget(target) {
  const [match, query] = /^\/responses\/(?:custom|sequence\/[^/?]+)(?:[?](.*))?$/.exec(target) ?? []
  if (match === undefined) return undefined
  fill(new URLSearchParams(query))
  return toTimes(target) > 0 ? toTarget() : undefined
}

function fill(searchParams) {
  for (const control of form.querySelectorAll('.values :is(input, select, textarea)')) {
    if (/radio|checkbox/.test(control.type)) control.checked = false
    else control.value = ''
  }
  for (const [name, value] of searchParams) {
    const [, status, times, last] = /^(\d+)\*(\d+),(\d+)$/.exec(value) ?? []
    if (name === 'steps') {
      failure('status').value = status ?? ''
      failure('times').value = times ?? ''
      form.elements.status.value = last ?? ''
    } else if (name === 'retry_after') failure(name).value = value
    else setField([...form.querySelectorAll(`[name="${CSS.escape(name)}"]`)], value)
  }
  chooseBody(['json', 'base64'].find((kind) => searchParams.has(kind)) ?? 'body')
}

function setField(fields, value) {
  const [field] = fields
  if (field?.type === 'checkbox') field.checked = value === field.value
  else {
    const empty = fields.find((one) => one.value === '')
    if (empty) empty.value = value
  }
}

form.addEventListener('input', ({ target }) => {
  if (target.name === 'kind') chooseBody(target.value)
})
chooseBody('body')
const values = { toTarget, readTarget }
openSender(form, { place: document.querySelector('main'), values, sendOwn: sendSteps, showTexts })
await openFragments([form.composer])
form.addEventListener('reset', (event) => {
  event.preventDefault()
  form.composer.fill({ target: '/responses/custom' })
})
