// The theme switch, the logged-in user, and the navigation of static pages.
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

const nav = document.querySelector('#site-nav')
if (nav && 'short' in nav.dataset) await completeNavigation(nav)
const button = nav?.querySelector('[data-part=theme]')
if (button) addThemeSwitch(button)
