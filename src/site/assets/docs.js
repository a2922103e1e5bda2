// The search of the documentation: `/` focuses it, Enter opens the first result, Escape clears it.
const nav = document.querySelector('#docs-nav')
const search = nav.querySelector('[data-part=search]')
const input = search.querySelector('input')
const status = search.querySelector('[role=status]')
const normalize = (text) => text.toLowerCase().replaceAll(/[^a-z0-9 ]/g, '')

/** The id has the words of the path: `/users/{id}` finds `getUsersId`. */
function toText(group, item) {
  const id = item.firstElementChild.pathname.split('/').at(-1)
  return normalize(`${group.firstElementChild.textContent} ${item.textContent} ${id}`)
}

const groups = [...nav.querySelectorAll('details')].map((group) => ({
  group,
  wasOpen: group.open,
  items: [...group.querySelectorAll('li')].map((item) => ({ item, text: toText(group, item) })),
}))

function filter() {
  const words = normalize(input.value).split(' ').filter(Boolean)
  let count = 0
  for (const { group, wasOpen, items } of groups) {
    for (const { item, text } of items) item.hidden = !words.every((word) => text.includes(word))
    const found = items.filter(({ item }) => !item.hidden).length
    group.hidden = found === 0
    group.open = words.length > 0 || wasOpen
    count += found
  }
  const text = count === 0 ? 'Nothing matches.' : `${count} operation${count === 1 ? '' : 's'}`
  status.textContent = words.length > 0 ? text : ''
}

search.hidden = false
input.addEventListener('input', filter)
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') nav.querySelector('details:not([hidden]) li:not([hidden]) a')?.click()
  if (event.key !== 'Escape' || input.value === '') return
  // An open menu closes only when there is nothing to clear.
  event.preventDefault()
  input.value = ''
  filter()
})

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest('input, textarea, select')) return
  event.preventDefault()
  if (!nav.checkVisibility()) nav.showPopover()
  input.focus()
})

const current = nav.querySelector('li a[aria-current]')
if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 2
