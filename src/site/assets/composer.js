// The composer of requests: the method, the path, headers and the body, with fields of the page that set them. Filling
// it never sends a request.
import { renderCodeBlock } from './code-block.js'
import { isForbidden, openHeaders } from './composer-headers.js'
import { createValues } from './composer-values.js'
import { isSafe, parseCurl, toCurl } from './curl.js'
import { setOption } from './dom.js'

const multipart = 'multipart/form-data'

/**
 * `values` turns the fields of the page into the path and the body, and back. Its `readTarget` fills the fields from a
 * path, and returns the path to show if that differs.
 */
export function openComposer(form, { chips = [], values = createValues(form), onFill } = {}) {
  const [method, path, type, body] = ['method', 'target', 'type', 'body'].map((part) =>
    form.querySelector(`[data-in=${part}]`),
  )
  const [notes, past] = ['notes', 'history'].map((part) =>
    form.querySelector(`[data-part=${part}]`),
  )
  const required = [...form.querySelectorAll('.values [required]')]
  const headers = openHeaders(form)
  /** What a curl command has that is not sent. */
  let omissions = []
  /** A header that only the command has: the browser sends the visitor's key as a cookie. */
  let key
  const read = () => {
    const start = { method: method.value, target: path.value, headers: headers.read() }
    if (type.value !== multipart || isSafe(method.value))
      return { ...start, type: type.value, body: body.value }
    const fields = [...new FormData(form)].filter(([name]) => name !== '_method')
    return { ...start, type: type.value, form: fields }
  }
  const fill = (request) => {
    setOption(method, request.method ?? 'GET')
    headers.fill(request.headers ?? [])
    if (request.type) setOption(type, request.type)
    body.value = request.body ?? ''
    values.readBody?.(body.value, type.value)
    const target = request.target ?? '/'
    path.value = values.readTarget(target) ?? target
    for (const group of form.querySelectorAll('.values details'))
      group.open ||= [...group.querySelectorAll('input, select')].some(isFilled)
    show()
    omissions = request.notes ?? []
    note()
    onFill?.()
  }
  const readCurl = (text) => {
    const request = parseCurl(text)
    if (request) fill(request)
    return request !== undefined
  }
  const show = (chip) => {
    const request = read()
    const commanded = key ? { ...request, headers: [...request.headers, key] } : request
    showParts(form, commanded, { required, isOwn: values.isOwn?.(request.target) !== false })
    markChips(chips, request, chip)
  }
  const note = (...sentences) => {
    const names = headers.read().flatMap(([name]) => (isForbidden(name) ? name : []))
    const kept = `A page cannot set ${names.join(', ')}: only the curl command has it.`
    const all = [...omissions, ...(names.length > 0 ? [kept] : []), ...sentences]
    notes.textContent = all.join(' ')
  }
  const showBody = (example = values.toBody?.(type.value)) => {
    body.value = example ?? body.value
  }
  const readInput = ({ target, inputType = '', data }) => {
    if (target === path) {
      omissions = []
      // Text that is typed can be the start of a command.
      const isTyped = /^delete|Composition/.test(inputType) || data?.length === 1
      if (isTyped || !readCurl(path.value)) values.readTarget(path.value)
    } else if (target === body) values.readBody?.(body.value, type.value)
    else if (target === type) showBody(type.selectedOptions[0].dataset.example)
    else if (target.closest('.values') && target.dataset.in !== 'header') {
      path.value = values.toTarget()
      showBody()
    }
  }
  form.addEventListener('input', (event) => {
    readInput(event)
    show()
    note()
  })
  path.addEventListener('change', () => readCurl(path.value))
  path.addEventListener('paste', (event) => {
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
  // Few visitors open the history, and few pages send a request.
  const showPast = async () => (await import('./history.js')).showHistory(past, fill)
  past.addEventListener('toggle', showPast)
  show()
  return {
    fill,
    note,
    read: () => {
      readCurl(path.value)
      const request = read()
      return { ...request, sendable: request.headers.filter(([name]) => !isForbidden(name)) }
    },
    isFor: (request) => method.value === request.method && values.isOwn?.(request.target),
    keep: async (request) => {
      const { keepRequest } = await import('./history.js')
      note(...keepRequest(request))
      await showPast()
    },
    setKey: (header) => {
      key = header
      show()
    },
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
  code.replaceChildren(...renderCodeBlock(toCurl(request), 'code').firstChild.childNodes)
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
