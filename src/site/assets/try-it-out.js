// The page of an operation: the samples as tabs, and the form that sends the request.
import { copyButton, showAsTabs } from './commands.js'
import { create, sendRequest, showSending } from './exchange.js'

const form = document.querySelector('form.try')
const output = document.querySelector('.result')
const samples = [...document.querySelectorAll('.samples details')]
const blocks = samples.map(({ lastElementChild }) => lastElementChild)

function addTabs() {
  const group = create('div', { 'data-tabs': 'Language' })
  samples[0].before(group)
  for (const [summary, block] of samples.map(({ children }) => children)) {
    const copy = copyButton(() => block.textContent)
    const caption = create('figcaption', {}, summary.textContent, copy)
    group.append(create('figure', { class: 'command' }, caption, block))
  }
  for (const sample of samples) sample.remove()
  showAsTabs(group)
}

const inputs = (place) => [...form.querySelectorAll(`[data-in="${place}"]`)]
const filled = (place) => inputs(place).filter(({ value }) => value !== '')
const toPairs = (found) => found.map(({ name, value }) => [name, value])

function toTarget() {
  let { path } = form.dataset
  for (const { name, value } of inputs('path')) {
    path = path.replace(`{${name}}`, () => encodeURIComponent(value))
  }
  const query = new URLSearchParams(toPairs(filled('query')))
  return query.size > 0 ? `${path}?${query}` : path
}

function toOptions() {
  const headers = new Headers(toPairs(filled('header')))
  const options = { method: form.dataset.method, headers }
  const [content] = filled('content')
  if (content) {
    headers.set('content-type', inputs('type')[0].value)
    return { ...options, body: content.value }
  }
  const parts = inputs('part')
  if (parts.length === 0) return options
  const body = new FormData()
  for (const { name, files } of parts) for (const file of files) body.append(name, file)
  return { ...options, body }
}

/** Offers the ids of existing records, and replaces the example by the newest. */
async function loadIds(input) {
  const url = `${input.dataset.ids}?page=1&per_page=20&sort=-createdAt`
  const response = await fetch(url, { headers: { accept: 'application/json' } })
  const records = response.ok ? await response.json() : []
  const field = input.closest('.field')
  field.querySelector('[data-part=no-ids]').hidden = records.length > 0
  if (records.length === 0) return
  const options = records.map(({ _id, name }) => create('option', { value: _id }, name ?? ''))
  field.querySelector('datalist').replaceChildren(...options)
  const example = input.value
  const [{ _id }] = records
  input.value = _id
  for (const block of blocks) {
    const texts = document.createTreeWalker(block, 4)
    while (texts.nextNode()) {
      texts.currentNode.data = texts.currentNode.data.replaceAll(example, () => _id)
    }
  }
}

addTabs()
for (const input of form.querySelectorAll('[data-ids]')) loadIds(input)
for (const type of inputs('type')) {
  const [content] = inputs('content')
  type.addEventListener('change', () => {
    content.value = type.selectedOptions[0].dataset.example
  })
  content.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
  })
}
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  await showSending(output, () => sendRequest(toTarget(), toOptions()))
  output.scrollIntoView({ block: 'nearest' })
})
