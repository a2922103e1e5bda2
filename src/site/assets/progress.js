// A response while it arrives: the elapsed time, Cancel, its chunks on a time line, and its lines.
import { create } from './dom.js'
import { formatBytes, formatDuration } from './size.js'

/** A quick response is shown without all this. */
const delayMs = 300
const maxMarks = 300
const maxLines = 500

export function createProgress(onCancel) {
  const startedAt = performance.now()
  const now = () => performance.now() - startedAt
  const chunks = []
  const elapsed = create('span', { class: 'quiet' })
  const button = create('button', { type: 'button', class: 'second small' }, 'Cancel')
  const marks = create('div', { class: 'marks' })
  const lines = create('pre', { tabindex: '0', hidden: '' }, create('code'))
  const element = create('div', { class: 'arriving', hidden: '' })
  element.append(create('p', { class: 'actions' }, elapsed, button), marks, lines)
  const progress = { element, chunks, isCancelled: false, headMs: undefined, now }
  const show = () => {
    const sizes = formatBytes(chunks.reduce((sum, { size }) => sum + size, 0))
    const arrived = chunks.length > 0 ? `, ${toCount(chunks)} with ${sizes}` : ''
    elapsed.textContent = `${(now() / 1000).toFixed(1)} s${arrived}`
    element.hidden = now() < delayMs
    if (chunks.length > 0) marks.replaceChildren(...timeline(chunks, now()))
  }
  const timer = setInterval(show, 100)
  button.addEventListener('click', () => {
    progress.isCancelled = true
    onCancel()
  })
  let addText = () => {}
  progress.head = (response) => {
    progress.headMs = now()
    const type = response.headers.get('content-type') ?? ''
    if (/event-stream|ndjson|jsonl|json-seq/.test(type)) addText = createLineWriter(lines)
  }
  progress.chunk = (bytes) => {
    chunks.push({ at: now(), size: bytes.length })
    addText(bytes)
  }
  progress.times = (total) => clientTiming(progress, total)
  progress.end = () => {
    clearInterval(timer)
    element.remove()
  }
  return progress
}

const toCount = ({ length }) => `${length} chunk${length === 1 ? '' : 's'}`

/** Each line as soon as it is complete, and the latest in sight. */
function createLineWriter(lines) {
  const decoder = new TextDecoder()
  const code = lines.firstChild
  let rest = ''
  return (bytes) => {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/)
    rest = parts.pop()
    lines.hidden = false
    code.append(...parts.map((text) => `${text}\n`))
    while (code.childNodes.length > maxLines) code.firstChild.remove()
    lines.scrollTop = lines.scrollHeight
  }
}

/** The sizes are those of the reads of a script, which can join the chunks of HTTP. */
function timeline(chunks, total) {
  const percent = (ms) => ((ms / total) * 99.5).toFixed(2)
  const rows = chunks.slice(-maxMarks).map(({ at, size }) => {
    const title = `${formatBytes(size)} after ${formatDuration(at)}`
    const height = Math.min(12, 4 + Math.log2(size + 1) / 2)
    return `<rect x="${percent(at)}%" y="${12 - height}" width="3" height="${height}"><title>${title}</title></rect>`
  })
  const template = create('template')
  template.innerHTML = `<svg width="100%" height="14" role="img" aria-label="${toCount(chunks)} on a time line of ${formatDuration(total)}"><line x2="100%" y1="13" y2="13"/>${rows.join('')}</svg>`
  return [template.content]
}

const bar = (from, to, total) => {
  const template = create('template')
  const percent = (ms) => ((ms / total) * 100).toFixed(2)
  template.innerHTML = `<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect x="${percent(from)}" width="${percent(Math.max(to - from, total / 200))}" height="8" rx="1"/></svg>`
  return template.content
}

/** The times of the browser, above those of the server. */
function clientTiming({ chunks, headMs }, total) {
  const stages = [
    ['Wait for the response', 0, headMs],
    ['Receive the body', headMs, total],
  ]
  const cell = (text) => create('td', { class: 'number' }, formatDuration(text))
  const rows = stages.map(([name, from, to]) => {
    const head = create('th', { scope: 'row' }, name)
    const picture = create('td', {}, bar(from, to, total))
    return create('tr', {}, head, cell(from), cell(to - from), picture)
  })
  const names = ['In the browser', 'Start', 'Duration', 'Share']
  const heads = names.map((name) =>
    create('th', { scope: 'col', class: /^(Start|Duration)$/.test(name) ? 'number' : '' }, name),
  )
  const table = create('table', { class: 'timing' })
  table.append(create('thead', {}, create('tr', {}, ...heads)), create('tbody', {}, ...rows))
  const frame = {
    class: 'table',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Timing in the browser',
  }
  const facts = `${toCount(chunks)}, as a script of the browser reads them.`
  const marks =
    chunks.length > 1 ? [create('div', { class: 'marks' }, ...timeline(chunks, total))] : []
  return [create('div', frame, table), ...marks, create('p', { class: 'quiet' }, facts)]
}
