// What every page has: the request inspector, the theme switch, the logged-in user, local times, and the
// navigation of static pages.
import { completeCommands } from './commands.js'
import { create, createUuid, fetchPage, local, session } from './dom.js'

const root = document.documentElement

function addThemeSwitch(button) {
  const themes = ['system', 'light', 'dark']
  const show = () => (button.textContent = `Theme: ${root.dataset.theme ?? 'system'}`)
  button.hidden = false
  show()
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(root.dataset.theme ?? 'system') + 1) % themes.length]
    local.theme = next
    if (next === 'system') delete root.dataset.theme
    else root.dataset.theme = next
    show()
  })
}

/** The id is in Server-Timing, not in the markup, so that the page can be cached. */
async function explainPage(panel, sent) {
  const [entry] = performance.getEntriesByType('navigation')
  const id = entry?.serverTiming?.find(({ name }) => name === 'exchange')?.description
  // Shared caches may store this page, so that its response names no exchange, or it shows one itself.
  if (!id || document.querySelector('[data-exchange]')) return panel.remove()
  const { responseStatus, transferSize, encodedBodySize } = entry
  // Browsers report 200 for a stored page that the server validated, of which only the headers were sent.
  const status = transferSize > 0 && transferSize < encodedBodySize ? 304 : responseStatus
  await openInspector(panel, [...(sent ? [`?request_id=${sent}`] : []), `/${id}`], status)
}

/** The page shows what came of a request that a script has sent: the panel has its exchange from now on. */
export function explainResponse({ headers, status }) {
  const panel = document.querySelector('details.inspector')
  const [, id] = /\bexchange;desc="([^"]+)"/.exec(headers.get('server-timing')) ?? []
  // The copy has no listeners.
  const fresh = panel?.cloneNode(true)
  panel?.replaceWith(...(id ? [fresh] : []))
  if (!panel || !id) return
  fresh.querySelector('summary .status')?.remove()
  void openInspector(fresh, [`/${id}`], status)
}

/** Loads the exchange when the panel is opened: most visitors do not open it. */
async function openInspector(panel, paths, status) {
  if (status) {
    const pill = create('span', { class: `status s${String(status)[0]}` }, status)
    panel.firstElementChild.append(' ', pill)
  }
  panel.addEventListener('toggle', () => (local.inspector = panel.open ? 'open' : 'closed'))
  // It can have been opened before this script ran.
  panel.open ||= local.inspector === 'open'
  if (!panel.open) {
    await new Promise((resolve) => panel.addEventListener('toggle', resolve, { once: true }))
  }
  const { complete, mergeChains } = await import('./exchange-view.js')
  const pages = await Promise.all(paths.map((path) => fetchPage(`/inspector${path}`)))
  const views = pages.map((page) => page.querySelector('[data-part=chain]:has([data-exchange])'))
  const found = views.filter(Boolean)
  const [lead] = found.length > 0 ? [] : pages.at(-1).querySelectorAll('main > .lead')
  const view = lead ?? mergeChains(found)
  panel.lastElementChild.replaceWith(view)
  complete(view)
}

/** Static pages have a short navigation: the home page knows which demos are open. */
async function completeNavigation(nav) {
  const complete = (await fetchPage('/')).querySelector('#site-nav')
  if (!complete) return
  const current = complete.querySelector(`a[href="${nav.dataset.short}"]`)
  current?.setAttribute('aria-current', 'page')
  nav.replaceChildren(...complete.childNodes)
  if (current) return
  const text = 'The demo that receives this form is not open. See the setting DEMOS.'
  const notice = create('p', { class: 'notice error' }, text)
  document.querySelector('h1').after(notice)
  while (notice.nextSibling) notice.nextSibling.remove()
}

/** A visit to the session page stores a hint. Without it, pages send no request for the session. */
async function showUser(part) {
  const response = await fetch('/session', { headers: { accept: 'application/json' } })
  const { authenticated, user } = response.ok ? await response.json() : {}
  if (!authenticated) return delete local.session
  local.session = 'yes'
  const link = create('a', { href: '/session', dir: 'auto' }, user.name)
  const button = create('button', { class: 'second small' }, 'Log out')
  part.replaceChildren('Logged in as ', link)
  part.after(create('form', { method: 'post', action: '/logout' }, button))
  part.hidden = false
}

// Names the request of a form, so that the page after a redirect finds it. A form with a key is not
// redirected, and has to stay unchanged when it is sent again.
document.addEventListener('submit', ({ target: form, defaultPrevented }) => {
  const value = createUuid()
  // Not `form.method`: a field can have this name.
  if (defaultPrevented || form.getAttribute('method') !== 'post') return
  const addId = ({ formData }) => {
    if (formData.has('_idempotency_key')) return
    formData.set('_request_id', value)
    session.sent = value
  }
  form.addEventListener('formdata', addId, { once: true })
})

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-replay]')
  if (button) (await import('./exchange.js')).replay(button)
})

document.addEventListener('pointerover', ({ target }) => {
  const time = target.closest('time')
  const styles = { dateStyle: 'full', timeStyle: 'long' }
  if (time) time.title = new Date(time.dateTime).toLocaleString([], styles)
})

completeCommands(document)
// Pages of shared caches, such as lessons, do not have it.
if (document.querySelector('[data-sandbox]')) local.sandbox = 'yes'
const panel = document.querySelector('details.inspector')
if (panel) void explainPage(panel, session.sent)
delete session.sent
const nav = document.querySelector('#site-nav')
if (nav && 'short' in nav.dataset) await completeNavigation(nav)
const button = nav?.querySelector('[data-part=theme]')
if (button) addThemeSwitch(button)
nav?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
const hasVisitedSession = local.session || /^\/session\b/.test(location.pathname)
if (nav && hasVisitedSession) await showUser(nav.querySelector('[data-part=user]'))
