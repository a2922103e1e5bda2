// The composer of /responses: builds the URL of the described response, and sends it.
import { create } from './dom.js'
import { renderCodeBlock } from './body.js'
import { sendRequest, showSending } from './exchange.js'

const form = document.querySelector('.compose > form')
const output = document.querySelector('.compose .result')
const chips = [...document.querySelectorAll('.chips a')]
const commands = Array.from(output.parentElement.querySelectorAll('.command code'), (code) => {
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
  if (times === 0) return { times, target: `/responses/custom${query && `?${query}`}` }
  const others = pairs.filter(([name]) => name !== 'status')
  const { status = '200' } = Object.fromEntries(pairs)
  const steps = `${failure('status').value || '503'}*${times},${status}`
  const retryAfter = failure('retry_after').value
  const after = retryAfter === '' ? [] : [['retry_after', retryAfter]]
  return { times, target: `${path}?${toQuery([['steps', steps], ...after, ...others])}` }
}

function update() {
  const { times, target } = toTarget()
  const url = location.origin + target
  for (const { code, text } of commands) {
    const command = text
      .replaceAll(first.text, () => url)
      .replace('curl -i', times === 0 ? 'curl -i' : `curl -i --retry ${times}`)
    const language = text === first.text ? '' : 'code'
    code.replaceChildren(...renderCodeBlock(command, language).firstChild.childNodes)
  }
  const option = form.querySelector(`#statuses [value="${form.elements.status.value}"]`)
  form.querySelector('[data-part=phrase]').textContent = option?.textContent ?? ''
}

async function send(watch) {
  const { times, target } = toTarget()
  if (times > 0) await fetch(`${path}/state`, { method: 'DELETE', signal: watch.signal })
  const results = []
  while (results.length <= times) results.push(await sendRequest(target, watch))
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

function fill(searchParams) {
  for (const control of form.querySelectorAll('input, select, textarea')) {
    if (/radio|checkbox/.test(control.type)) control.checked = false
    else control.value = ''
  }
  for (const [name, value] of searchParams) {
    const [, status, times, last] = /^(\d+)\*(\d+),(\d+)$/.exec(value) ?? []
    if (name === 'steps') {
      failure('status').value = status
      failure('times').value = times
      form.elements.status.value = last
    } else if (name === 'retry_after') failure(name).value = value
    else [...form.querySelectorAll(`[name=${name}]`)].find((one) => one.value === '').value = value
  }
  chooseBody(['json', 'base64'].find((kind) => searchParams.has(kind)) ?? 'body')
  for (const group of form.querySelectorAll('details')) {
    group.open = [...group.querySelectorAll('input:not([type=checkbox]), select')].some(
      ({ value }) => value !== '',
    )
  }
  update()
}

function markChip(current) {
  for (const chip of chips) chip.ariaCurrent = chip === current ? 'true' : null
}

for (const chip of chips) {
  chip.addEventListener('click', (event) => {
    // With a modifier key, the browser opens the link.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    fill(new URL(chip.href).searchParams)
    markChip(chip)
    output.parentElement.querySelector('[type=submit]').focus()
  })
}
form.addEventListener('input', ({ target }) => {
  if (target.name === 'kind') chooseBody(target.value)
  markChip()
  update()
})
form.addEventListener('reset', (event) => {
  event.preventDefault()
  markChip()
  fill(new URLSearchParams())
})
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  await showSending(output, send)
})
chooseBody('body')
update()
