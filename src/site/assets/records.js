// Lists and records: the URL of a created record, the name of a deleted one, and short URLs.
import { create, session } from './dom.js'

const notice = document.querySelector('.notice[role=status]')

// The page has the URL of the list, to which the form was sent. Now reload and Back need no POST.
const own = notice?.querySelector('a[data-own]')
if (own) history.replaceState(null, '', own.dataset.own)

// Not in the cookie of site/flash.ts: other sites can set cookies, but not the storage of this one.
const { deleted } = session
delete session.deleted
if (deleted !== undefined && notice?.textContent === 'Deleted.') {
  notice.replaceChildren('Deleted ', create('bdi', {}, deleted), '.')
}
for (const form of document.querySelectorAll('form:is([data-deletes], [data-many])')) {
  form.addEventListener('submit', () => (session.deleted = form.dataset.deletes))
}

document.querySelector('form.search')?.addEventListener('formdata', ({ formData }) => {
  for (const name of ['q', 'per_page']) if (!formData.get(name)) formData.delete(name)
})

for (const select of document.querySelectorAll('form.search select')) {
  select.addEventListener('change', () => select.form.requestSubmit())
}

// One parameter for all columns, because a request has a limited number of them.
document.querySelector('#columns')?.addEventListener('formdata', ({ formData }) => {
  const columns = [...formData].filter(([name]) => name.startsWith('_fields.'))
  if (columns.some(([, name]) => name.includes(','))) return
  for (const [name] of columns) formData.delete(name)
  formData.set('fields', columns.map(([, name]) => name).join())
})

/** The service deletes as many at once. */
const maxDeleted = 100
const bulk = document.querySelector('#bulk')
if (bulk) addSelection(bulk, document.querySelector('[popovertarget=bulk]'))

function addSelection(form, button) {
  const boxes = () => [...document.querySelectorAll('.pick [name=delete]')]
  const all = create('input', { type: 'checkbox', 'aria-label': 'Select all' })
  document.querySelector('thead .pick').append(all)
  const show = () => {
    const count = boxes().filter(({ checked }) => checked).length
    button.hidden = count === 0
    button.textContent = `Delete ${count}`
    form.dataset.deletes = `${count} ${count === 1 ? form.dataset.one : form.dataset.many}`
    form.querySelector('span').textContent = form.dataset.deletes
  }
  all.addEventListener('change', () => {
    for (const [index, box] of boxes().entries()) box.checked = all.checked && index < maxDeleted
    show()
  })
  document.querySelector('.listing').addEventListener('change', show)
  show()
}
