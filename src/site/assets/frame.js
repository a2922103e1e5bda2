// The theme switch, the logged-in user, the navigation of static pages, and local times.
const root = document.documentElement

function showTheme(button) {
  button.textContent = `Theme: ${root.dataset.theme ?? 'system'}`
}

function addThemeSwitch(button) {
  const themes = [undefined, 'light', 'dark']
  button.hidden = false
  showTheme(button)
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length]
    if (next) localStorage.theme = root.dataset.theme = next
    else {
      delete root.dataset.theme
      delete localStorage.theme
    }
    showTheme(button)
  })
}

/** Static pages have a short navigation: the demos that are served are known to the home page. */
async function completeNavigation(nav) {
  const response = await fetch('/', { headers: { accept: 'text/html' } })
  const home = new DOMParser().parseFromString(await response.text(), 'text/html')
  const complete = home.querySelector('#site-nav')
  if (!complete) return
  const current = complete.querySelector(`a[href="${CSS.escape(location.pathname)}"]`)
  current?.setAttribute('aria-current', 'page')
  nav.replaceChildren(...complete.childNodes)
}

/** A visit to the session page stores a hint. Without it, pages send no request for the session. */
async function showUser(part) {
  const response = await fetch('/session', { headers: { accept: 'application/json' } })
  const { authenticated, user } = response.ok ? await response.json() : {}
  if (!authenticated) return delete localStorage.session
  localStorage.session = 'yes'
  const link = Object.assign(document.createElement('a'), { href: '/session', dir: 'auto' })
  link.textContent = user.name
  const form = Object.assign(document.createElement('form'), { method: 'post', action: '/logout' })
  const button = Object.assign(document.createElement('button'), { className: 'second small' })
  button.textContent = 'Log out'
  form.append(button)
  part.replaceChildren('Logged in as ', link)
  part.after(form)
  part.hidden = false
}

document.addEventListener('pointerover', ({ target }) => {
  const time = target.closest('time')
  const styles = { dateStyle: 'full', timeStyle: 'long' }
  if (time) time.title = new Date(time.dateTime).toLocaleString([], styles)
})

const nav = document.querySelector('#site-nav')
if (nav && 'short' in nav.dataset) await completeNavigation(nav)
const button = nav?.querySelector('[data-part=theme]')
if (button) addThemeSwitch(button)
const hasVisitedSession = localStorage.session || /^\/session\b/.test(location.pathname)
if (nav && hasVisitedSession) await showUser(nav.querySelector('[data-part=user]'))
