// The composer of requests: the method, the path, headers and the body, with fields of the page that set them. Filling
// it never sends a request.
import { renderCodeBlock } from './code-block.js'
import { isForbidden, listMissing, openHeaders } from './composer-headers.js'
import { createValues } from './composer-values.js'
import { isSafe, toCurl } from './curl.js'
import { findSandbox, setOption } from './dom.js'
import { parseCurl } from './parse-curl.js'

const multipart = 'multipart/form-data'

/**
 * `values` turns the fields of the page into the path and the body, and back. Its `readTarget` fills the fields from a
 * path, and returns the path to show if that differs.
 */
export function openComposer(form, { chips = [], values = createValues(form), onFill } = {}) {
  const composer = new Composer({ form, chips, values, onFill })
  const { target } = composer.controls
  form.addEventListener('input', (event) => composer.readInput(event))
  target.addEventListener('change', () => composer.readCurl(target.value))
  target.addEventListener('paste', (event) => {
    // The field would remove the ends of the lines.
    if (composer.readCurl(event.clipboardData.getData('text'))) event.preventDefault()
  })
  for (const chip of chips) chip.addEventListener('click', (event) => composer.useChip(chip, event))
  // Few visitors open the history.
  composer.past.addEventListener('toggle', () => composer.showPast())
  composer.show()
  return composer
}

class Composer {
  /** What a curl command has that is not sent. */
  #omissions = []
  /** The names of the secrets that a link or the history leaves out of the request. */
  #missing = { names: [] }
  /** A header that only the command has: the browser sends the visitor's key as a cookie. */
  #key

  constructor({ form, chips, values, onFill }) {
    Object.assign(this, { form, chips, values, onFill })
    const names = ['method', 'target', 'type', 'body']
    this.controls = Object.fromEntries(
      names.map((name) => [name, form.querySelector(`[data-in=${name}]`)]),
    )
    this.past = form.querySelector('[data-part=history]')
    this.notes = form.querySelector('[data-part=notes]')
    this.required = [...form.querySelectorAll('.values [required]')]
    this.headers = openHeaders(form)
  }

  read() {
    this.readCurl(this.controls.target.value)
    const request = this.#toRequest()
    const sendable = request.headers.filter(([name]) => !isForbidden(name))
    return { ...request, sendable, missing: this.#toMissing() }
  }

  #toRequest() {
    const { method, target, type, body } = this.controls
    const start = { method: method.value, target: target.value, headers: this.headers.read() }
    if (type.value !== multipart || isSafe(method.value))
      return { ...start, type: type.value, body: body.value }
    const fields = [...new FormData(this.form)].filter(([name]) => name !== '_method')
    return { ...start, type: type.value, form: fields }
  }

  fill(request) {
    const { method, target, type, body } = this.controls
    setOption(method, request.method ?? 'GET')
    this.headers.fill(request.headers ?? [])
    if (request.type) setOption(type, request.type)
    body.value = request.body ?? ''
    this.values.readBody?.(body.value, type.value)
    const path = request.target ?? '/'
    target.value = this.values.readTarget(path) ?? path
    for (const group of this.form.querySelectorAll('.values details'))
      group.open ||= [...group.querySelectorAll('input, select')].some(isFilled)
    this.show()
    this.#omissions = request.notes ?? []
    this.#missing = request.missing ?? { names: [] }
    this.note()
    this.onFill?.()
  }

  readCurl(text) {
    const request = parseCurl(text)
    if (request) this.fill(request)
    return request !== undefined
  }

  useChip(chip, event) {
    // With a modifier key, the browser opens the link.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    this.fill(JSON.parse(chip.dataset.fill))
    this.show(chip)
    this.form.querySelector('[type=submit]').focus()
  }

  readInput(event) {
    const { target, type, body } = this.controls
    if (event.target === target) this.#readTarget(event)
    else if (event.target === body) this.values.readBody?.(body.value, type.value)
    else if (event.target === type) this.#showBody(type.selectedOptions[0].dataset.example)
    else if (event.target.closest('.values') && event.target.dataset.in !== 'header') {
      target.value = this.values.toTarget()
      this.#showBody()
    }
    this.show()
    this.note()
  }

  #readTarget({ inputType = '', data }) {
    const { target } = this.controls
    this.#omissions = []
    // Text that is typed can be the start of a command.
    const isTyped = /^delete|Composition/.test(inputType) || data?.length === 1
    if (isTyped || !this.readCurl(target.value)) this.values.readTarget(target.value)
  }

  #showBody(example = this.values.toBody?.(this.controls.type.value)) {
    this.controls.body.value = example ?? this.controls.body.value
  }

  /** `chip` is the one that has filled the form. */
  show(chip) {
    const request = this.#toRequest()
    const headers = this.#key ? [...request.headers, this.#key] : request.headers
    const isOwn = this.values.isOwn?.(request.target) !== false
    showParts(this.form, { ...request, headers }, { required: this.required, isOwn })
    markChips(this.chips, request, chip)
  }

  note(...sentences) {
    const headers = this.headers.read()
    const names = headers.flatMap(([name]) => (isForbidden(name) ? name : []))
    const kept = `A page cannot set ${names.join(', ')}: only the curl command has it.`
    const all = [...this.#omissions, ...this.#noteMissing(), ...(names.length > 0 ? [kept] : [])]
    this.notes.textContent = [...all, ...sentences].join(' ')
  }

  #noteMissing() {
    const missing = this.#toMissing()
    const list = listMissing(missing)
    if (list === '') return []
    const it = missing.names.length + Number(missing.isBodyMissing) > 1 ? 'them' : 'it'
    return [`${missing.place} leaves out ${list}. Add ${it} before you send.`]
  }

  /** What has not been added since the form was filled. */
  #toMissing() {
    const { names, isBodyMissing, place } = this.#missing
    const headers = this.headers
      .read()
      .flatMap(([name, value]) => (value ? name.toLowerCase() : []))
    return {
      names: names.filter((name) => !headers.includes(name.toLowerCase())),
      isBodyMissing: isBodyMissing === true && this.controls.body.value === '',
      place,
    }
  }

  isFor(request) {
    return this.controls.method.value === request.method && this.values.isOwn?.(request.target)
  }

  async keep(request) {
    const { keepRequest } = await import('./history.js')
    this.note(...keepRequest(request))
    await this.showPast()
  }

  async showPast() {
    const { showHistory } = await import('./history.js')
    showHistory(this.past, (request) => this.fill(request))
  }

  setKey(header) {
    this.#key = header
    this.show()
  }
}

const isFilled = ({ type, checked, value }) => (type === 'checkbox' ? checked : value !== '')

/** With another path, the fields have no meaning: none of `required` must be filled in. */
function showParts(form, request, { required, isOwn }) {
  form.querySelector('[data-part=body]').hidden = isSafe(request.method)
  form.querySelector('[data-part=text]').hidden = request.form !== undefined
  for (const field of required)
    field.required = isOwn && (field.type !== 'file' || request.form !== undefined)
  const code = form.querySelector('.command code')
  code.replaceChildren(
    ...renderCodeBlock(toCurl(request, findSandbox()), 'code').firstChild.childNodes,
  )
}

/** `current` is the chip that has filled the form. */
function markChips(chips, request, current) {
  const key = toKey(request)
  for (const chip of chips) {
    const isCurrent = chip === current || toKey(JSON.parse(chip.dataset.fill)) === key
    chip.ariaCurrent = isCurrent ? 'true' : null
  }
}

const toKey = ({ method, target, headers, body = '' }) => {
  const accept = headers.find(([name]) => /^accept$/i.test(name))?.[1]
  return JSON.stringify([method, target, accept, isSafe(method) ? '' : body])
}
