// Loads the exchange of this page into the request inspector. The id is in Server-Timing, not in the
// markup, so that the page can be cached and revalidated.
const panel = document.querySelector('details.inspector')
const [entry] = performance.getEntriesByType('navigation')
const id = entry?.serverTiming?.find(({ name }) => name === 'exchange')?.description

async function load() {
  const response = await fetch(`/inspector/${id}`, { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const found = page.querySelector('[data-exchange]') ?? page.querySelector('main > .lead')
  if (found) panel.lastElementChild.replaceWith(found)
  await completeCommands(panel)
}

async function completeCommands(within) {
  const incomplete = 'figure.command:not(:has(button))'
  if (!within.querySelector(incomplete)) return
  const { copyButton, showAsTabs } = await import('./commands.js')
  // Another call may have completed them in the meantime.
  for (const figure of within.querySelectorAll(incomplete)) {
    const caption = figure.querySelector('figcaption')
    caption.append(copyButton(() => figure.querySelector('code').textContent))
  }
  for (const group of within.querySelectorAll('[data-tabs]:not(:has([role=tablist]))'))
    showAsTabs(group)
}

function openPanel() {
  const status = entry.responseStatus
  if (status) {
    const pill = document.createElement('span')
    pill.className = `status s${String(status)[0]}`
    pill.textContent = status
    panel.firstElementChild.append(' ', pill)
  }
  panel.addEventListener('toggle', () => (localStorage.inspector = panel.open ? 'open' : 'closed'))
  // It can have been opened before this script ran.
  panel.open ||= localStorage.inspector === 'open'
  if (panel.open) load()
  else panel.addEventListener('toggle', load, { once: true })
}

if (panel && id && !document.querySelector('[data-exchange]')) openPanel()
// Shared caches may store this page, so that its response names no exchange, or it shows one itself.
else panel?.remove()
await completeCommands(document)
