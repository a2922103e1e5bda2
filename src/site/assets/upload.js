// Uploads with a progress bar, and compares the digest of the received file with the local file.
import { create } from './dom.js'
import { findExchangeId } from './exchange.js'
import { formatBytes } from './size.js'

const box = document.querySelector('.upload')
const form = box.querySelector('form')
const input = form.querySelector('input[type=file]')
const part = (name) => box.querySelector(`[data-part=${name}]`)
const progress = box.querySelector('progress')
const connectionLost =
  'The connection was closed before a response arrived. The file may be too large.'
let chosen
let maxBytes = Infinity
let request

part('hint').hidden = false
input.addEventListener('change', showChosenFile)
part('cancel').addEventListener('click', () => request?.abort())
form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (request === undefined && !showIfTooLarge()) send(input.files[0])
})
// Browsers restore the chosen file on reload and on Back.
showChosenFile()
await loadLimit()

async function loadLimit() {
  const { headers } = await fetch('/uploads', { method: 'HEAD' })
  const [, limit] = /max-size=(\d+)/.exec(headers.get('upload-limit')) ?? []
  if (!limit) return
  maxBytes = Number(limit)
  part('limit').textContent = ` It can have up to ${formatBytes(maxBytes)}.`
  showIfTooLarge()
}

function showChosenFile() {
  // Some browsers clear the input when the dialog is cancelled.
  if (input.files.length === 0 && chosen) input.files = chosen
  else chosen = input.files
  const [file] = input.files
  part('chosen').textContent = file
    ? `${file.name}: ${formatBytes(file.size)}, ${file.type || 'unknown type'}`
    : ''
  part('response').replaceChildren()
  showIfTooLarge()
}

function showIfTooLarge() {
  const [file] = input.files
  const isTooLarge = file !== undefined && file.size > maxBytes
  input.ariaInvalid = String(isTooLarge)
  if (isTooLarge) {
    const text = `The file has ${formatBytes(file.size)}, and the limit is ${formatBytes(maxBytes)}. Choose a smaller file.`
    showMessage('error', text)
  }
  return isTooLarge
}

// dragleave also fires when the pointer moves to a child of the form.
for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  form.addEventListener(name, (event) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    const isOver = name !== 'drop' && (name !== 'dragleave' || form.contains(event.relatedTarget))
    form.classList.toggle('over', isOver)
    if (name === 'drop' && request === undefined) chooseFile(event.dataTransfer.files)
  })
}

function chooseFile(files) {
  if (files.length !== 1) return showMessage('error', 'Upload one file at a time.')
  input.files = files
  showChosenFile()
}

function send(file) {
  const startedAt = performance.now()
  request = new XMLHttpRequest()
  request.open('POST', form.action)
  request.setRequestHeader('accept', 'text/html')
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    showProgress(loaded, total, (performance.now() - startedAt) / 1000),
  )
  request.upload.addEventListener('load', () => {
    part('sent').textContent = 'Sent. Waiting for the response…'
  })
  request.addEventListener('load', ({ target }) => receive(target, file))
  request.addEventListener('abort', () => showMessage('error', 'Cancelled.'))
  request.addEventListener('error', () => showMessage('error', connectionLost))
  request.addEventListener('loadend', () => setSending(false))
  part('response').replaceChildren()
  showProgress(0, file.size, 0)
  setSending(true)
  request.send(new FormData(form))
}

function showProgress(loaded, total, seconds) {
  progress.value = total > 0 ? loaded / total : 0
  const speed = loaded / seconds
  const pace = speed > 0 ? `, ${formatBytes(Math.round(speed))} per second` : ''
  const left = Math.ceil((total - loaded) / speed)
  const rest = pace && left > 0 ? `, ${formatDuration(left)} left` : ''
  part('sent').textContent = `${formatBytes(loaded)} of ${formatBytes(total)} sent${pace}${rest}`
}

function formatDuration(seconds) {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

function setSending(isSending) {
  if (!isSending) request = undefined
  const button = form.querySelector('[type=submit]')
  const cancel = part('cancel')
  // A disabled button would lose the focus.
  button.ariaDisabled = String(isSending)
  if (!isSending && document.activeElement === cancel) button.focus()
  cancel.hidden = !isSending
  part('sending').hidden = !isSending
}

/** Shows a part of the page that the server sends. */
async function receive(response, file) {
  const page = new DOMParser().parseFromString(response.responseText, 'text/html')
  if (response.status !== 200) {
    const detail = page.querySelector('main > .lead')?.textContent
    return showMessage('error', detail ?? `The server responded with ${response.status}.`)
  }
  const facts = page.querySelector('main > dl')
  const comparison = await compare(file, facts.querySelector('[data-part=sha256]').textContent)
  facts.className = ''
  facts.append(create('dt', {}, 'Comparison'), create('dd', {}, comparison))
  const id = findExchangeId(response.getResponseHeader('server-timing'))
  const links = create(
    'p',
    { class: 'actions' },
    create('a', { href: response.getResponseHeader('location') }, 'Download'),
    create('a', { href: '/uploads' }, 'All uploads'),
    create('a', { href: `/inspector/${id}` }, 'Inspect this request'),
  )
  showMessage('', `Uploaded ${facts.querySelector('dd').textContent}.`, facts, links)
}

async function compare(file, sha256) {
  // Undefined outside secure contexts.
  if (!globalThis.crypto?.subtle) return 'Not available: browsers compute digests over HTTPS only.'
  try {
    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
    const own = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    return own.join('') === sha256
      ? 'The local file has the same digest.'
      : 'The local file has a different digest. It may have changed since the upload.'
  } catch {
    return 'The local file can no longer be read.'
  }
}

function showMessage(kind, text, ...more) {
  const notice = create('div', { class: `notice ${kind}` }, create('p', {}, text), ...more)
  part('response').replaceChildren(notice)
}
