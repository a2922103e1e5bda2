// The request inspector and the bins: rows that arrive while the page is open, and the exchange beside the
// list.
import { completeBodies } from './body.js'
import { completeCommands } from './commands.js'
import { create, fetchPage, local } from './dom.js'

const maxRows = 200
const list = document.querySelector('.exchanges')
if (list) openList(list)
completeBodies(document)
// A hint: without it, pages with commands send no request for the key.
if (document.querySelector('[data-part=key]')) local.hasKey = 'yes'

function openList(list) {
  const part = (name) => list.querySelector(`[data-part=${name}]`)
  const [scroller, body, pane] = ['.rows', 'tbody', '.pane'].map((one) => list.querySelector(one))
  const isPaused = () => part('pause').ariaPressed === 'true'
  let waiting = []
  let hasMissed = false
  let connection = 'Live.'

  /** Rows do not move while somebody points at them, or has them in focus. */
  const isInUse = () =>
    isPaused() || body.matches(':hover') || body.contains(document.activeElement)

  const offerComparison = () => {
    part('compare').disabled = body.querySelectorAll(':checked').length !== 2
  }
  list.addEventListener('change', offerComparison)
  // A browser restores the boxes when one comes back.
  globalThis.addEventListener('pageshow', offerComparison)

  const show = () => {
    offerComparison()
    const count = body.rows.length
    const lost = hasMissed ? ' Some were too many for this page: reload it.' : ''
    const state = connection === 'Live.' && isPaused() ? 'Paused.' : connection
    part('state').textContent = `${count} request${count === 1 ? '' : 's'}. ${state}${lost}`
    part('new').hidden = waiting.length === 0
    part('new').textContent = `Show ${waiting.length} new`
  }

  const insert = ({ id, html, earlier }) => {
    const template = create('template')
    template.innerHTML = html
    const known = document.getElementById(`x-${id}`)
    const statusCell = 3
    // Of a request of a bin, the response can end otherwise than it was due.
    if (known)
      return known.cells[statusCell].replaceWith(template.content.firstChild.cells[statusCell])
    body.prepend(template.content)
    const [row] = body.rows
    for (const one of earlier.toReversed()) {
      const moved = document.getElementById(`x-${one}`)
      if (!moved) continue
      moved.className = 'earlier'
      row.after(moved)
    }
    while (body.rows.length > maxRows) body.lastElementChild.remove()
  }

  const flush = () => {
    const heightBefore = scroller.scrollHeight
    for (const one of waiting) insert(one)
    waiting = []
    // What is in sight stays in place.
    if (scroller.scrollTop > 0) scroller.scrollTop += scroller.scrollHeight - heightBefore
    show()
  }

  part('pause').addEventListener('click', ({ target }) => {
    target.ariaPressed = String(!isPaused())
    target.textContent = isPaused() ? 'Resume' : 'Pause'
    if (isPaused()) show()
    else flush()
  })
  part('new').addEventListener('click', flush)
  scroller.addEventListener('pointerleave', () => isInUse() || flush())

  const open = async (link) => {
    for (const row of body.rows) row.ariaCurrent = row.contains(link) ? 'true' : null
    pane.hidden = false
    list.classList.add('open')
    const page = await fetchPage(link.href)
    if (link.closest('tr').ariaCurrent !== 'true') return
    const title = create('a', { href: link.href, class: 'quiet' }, 'Open as a page')
    const close = create('button', { type: 'button', class: 'second small' }, 'Close')
    close.addEventListener('click', () => {
      pane.hidden = true
      list.classList.remove('open')
      link.closest('tr').ariaCurrent = null
      link.focus()
    })
    const parts = page.querySelectorAll(
      'main > :is([data-part=chain], [data-exchange], [data-part=own])',
    )
    const shown = parts.length > 0 ? parts : page.querySelectorAll('main > .lead')
    pane.replaceChildren(create('p', { class: 'actions' }, title, close), ...shown)
    pane.scrollTop = 0
    completeCommands(pane)
    completeBodies(pane)
    list.scrollIntoView({ block: 'nearest' })
  }

  body.addEventListener('click', (event) => {
    const { ctrlKey, metaKey, shiftKey, target } = event
    if (ctrlKey || metaKey || shiftKey || target.matches('input')) return
    const link = target.closest('tr')?.querySelector('a')
    if (!link) return
    if (globalThis.matchMedia('(min-width: 62rem)').matches) {
      event.preventDefault()
      void open(link)
      // Beside the list there is no place on a small screen.
    } else if (!target.closest('a')) link.click()
  })
  body.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key]
    const link = step && event.target.closest('tr')[step]?.querySelector('a')
    if (!link) return
    event.preventDefault()
    link.focus()
    if (!pane.hidden) void open(link)
  })

  if (list.dataset.events === '') return
  const events = new globalThis.EventSource(list.dataset.events)
  events.addEventListener('exchange', ({ data }) => {
    waiting = [...waiting, JSON.parse(data)].slice(-maxRows)
    if (isInUse()) show()
    else flush()
  })
  events.addEventListener('missed', () => {
    hasMissed = true
    show()
  })
  events.addEventListener('coverage', ({ data }) => {
    const notice = document.querySelector('[data-part=notice]')
    notice.textContent = JSON.parse(data).notice
    notice.hidden = notice.textContent === ''
  })
  events.addEventListener('deleted', ({ data }) => {
    const { id } = JSON.parse(data)
    waiting = waiting.filter((one) => one.id !== id)
    document.getElementById(`x-${id}`)?.remove()
    show()
  })
  const showState = (state) => {
    connection = state
    show()
  }
  events.addEventListener('open', () => showState('Live.'))
  events.addEventListener('error', () => showState('Not connected.'))
  events.addEventListener('gone', () => {
    events.close()
    waiting = []
    body.replaceChildren()
    showState('The bin has been removed.')
  })
}
