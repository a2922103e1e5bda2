// Loads the exchange of this page into the request inspector. The id is in Server-Timing, not in the
// markup, so that the page can be cached and revalidated.
const panel = document.querySelector('details.inspector')
const [entry] = performance.getEntriesByType('navigation')
const id = entry?.serverTiming?.find(({ name }) => name === 'exchange')?.description

async function load(panel, id) {
  const response = await fetch(`/inspector/${id}`, { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const found = page.querySelector('[data-exchange]') ?? page.querySelector('main > p')
  if (found) panel.lastElementChild.replaceWith(found)
  addCopyButtons(panel)
}

function addCopyButtons(within) {
  // Undefined outside secure contexts.
  if (!navigator.clipboard) return
  for (const figure of within.querySelectorAll('figure.command')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent)
      button.textContent = 'Copied'
    })
    figure.querySelector('figcaption').append(button)
  }
}

if (document.querySelector('[data-exchange]')) {
  // This page shows an exchange itself.
  panel.remove()
  addCopyButtons(document)
} else if (panel && id) {
  panel.addEventListener('toggle', () => load(panel, id), { once: true })
} else {
  // Shared caches may store this page, so its response names no exchange.
  panel?.remove()
}
