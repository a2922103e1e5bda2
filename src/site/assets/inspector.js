// Fills the panel at the foot of a page with the exchange that brought the page. Its id comes with
// the answer, in Server-Timing, and not in the page, so that a page may be kept and validated.
const panel = document.querySelector('details.wire')
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
  // A browser gives a clipboard only to what comes by HTTPS or from its own machine.
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
  // The page of an exchange is a panel itself.
  panel.remove()
  addCopyButtons(document)
} else if (panel && id) {
  panel.addEventListener('toggle', () => load(panel, id), { once: true })
}
