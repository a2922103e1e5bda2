// Sends the upload form with its progress, and compares what arrived with the file. Without this
// script it is a form as any, and its answer a page.
const box = document.querySelector('.upload')
const form = box.querySelector('form')
const input = form.querySelector('input[type=file]')
const part = (name) => box.querySelector(`[data-part=${name}]`)
const progress = box.querySelector('progress')
let request

part('hint').hidden = false
input.addEventListener('change', showChosen)
part('cancel').addEventListener('click', () => request?.abort())
form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (request === undefined) send(input.files[0])
})
// A browser keeps the choice on reload and on the way back.
showChosen()

function showChosen() {
  const [file] = input.files
  part('chosen').textContent = file ? `${file.name}: ${describe(file)}` : ''
}

function describe({ size, type }) {
  return `${toSizeText(size)}, ${type || 'of a type that the browser does not know'}`
}

// Every event of a drag counts for what is under it, so leaving a part is not leaving the form.
for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  form.addEventListener(name, (event) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    const isOver = name !== 'drop' && (name !== 'dragleave' || form.contains(event.relatedTarget))
    form.classList.toggle('over', isOver)
    if (name === 'drop' && request === undefined) take(event.dataTransfer.files)
  })
}

function take(files) {
  if (files.length !== 1) return say('error', 'One file at a time, please.')
  input.files = files
  showChosen()
  part('answer').replaceChildren()
}

function send(file) {
  request = new XMLHttpRequest()
  request.open('POST', form.action)
  request.setRequestHeader('accept', 'application/json')
  request.upload.addEventListener('progress', ({ loaded, total }) => show(loaded, total))
  request.upload.addEventListener('load', () => {
    part('sent').textContent = 'All sent. Waiting for the answer…'
  })
  request.addEventListener('load', ({ target }) => receive(target, file))
  request.addEventListener('abort', () => say('error', 'Cancelled.'))
  request.addEventListener('error', () => {
    say('error', 'The connection broke off before an answer came. A file too large ends so, too.')
  })
  request.addEventListener('loadend', () => setSending(false))
  part('answer').replaceChildren()
  show(0, file.size)
  setSending(true)
  request.send(new FormData(form))
}

function show(loaded, total) {
  progress.value = total > 0 ? loaded / total : 0
  part('sent').textContent = `${toSizeText(loaded)} of ${toSizeText(total)} sent`
}

function setSending(isSending) {
  if (!isSending) request = undefined
  const button = form.querySelector('[type=submit]')
  const cancel = part('cancel')
  // Not disabled: what has the focus would lose it.
  button.ariaDisabled = String(isSending)
  if (!isSending && document.activeElement === cancel) button.focus()
  cancel.hidden = !isSending
  part('sending').hidden = !isSending
}

async function receive(answered, file) {
  const answer = parse(answered.responseText)
  if (answered.status !== 200) {
    return say('error', answer.detail ?? `The answer is ${answered.status}, and says no more.`)
  }
  const facts = [
    ['Name', answer.name],
    ['Type', create('code', answer.type)],
    ['Size', `${toSizeText(answer.size)} (${answer.size.toLocaleString('en')} bytes)`],
    ['SHA-256', create('code', answer.sha256)],
    ['Compared', await compare(file, answer.sha256)],
  ]
  const list = create(
    'dl',
    ...facts.flatMap(([name, fact]) => [create('dt', name), create('dd', fact)]),
  )
  const links = create(
    'p',
    createLink(answered.getResponseHeader('location'), 'Have it back'),
    ' · ',
    createLink('/uploads', 'All uploads'),
    ' · ',
    createLink(`/inspector/${toExchangeId(answered)}`, 'This upload on the wire'),
  )
  say('', `The upload succeeded: ${answer.name} is kept.`, list, links)
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Not X-Request-Id, which a proxy before us may have chosen. */
function toExchangeId(answered) {
  return /exchange;desc="([^"]*)"/.exec(answered.getResponseHeader('server-timing'))?.[1]
}

/** Whether what arrived is the file, in words. */
async function compare(file, sha256) {
  // A browser computes digests only for what comes by HTTPS or from its own machine.
  if (!globalThis.crypto?.subtle) return 'Not here: a script may do that over HTTPS only.'
  try {
    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
    const own = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    return own.join('') === sha256
      ? 'The file here has the same digest: it arrived whole.'
      : 'The file here has another digest. Was it changed meanwhile?'
  } catch {
    return 'The file cannot be read any more.'
  }
}

function say(kind, text, ...more) {
  const notice = create('div', create('p', text), ...more)
  notice.className = `notice ${kind}`
  part('answer').replaceChildren(notice)
}

function create(name, ...children) {
  const element = document.createElement(name)
  element.append(...children)
  return element
}

function createLink(href, text) {
  const link = create('a', text)
  link.href = href
  return link
}

/** As the pages say it. */
function toSizeText(bytes) {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  let amount = bytes
  let unit
  for (unit of ['KiB', 'MiB', 'GiB']) {
    amount /= 1024
    if (amount < 1023.95) break
  }
  return `${amount.toFixed(amount < 99.95 ? 1 : 0).replace(/\.0$/, '')} ${unit}`
}
