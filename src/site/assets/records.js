// Lists and records: the URL of a created record, the name of a deleted one, short URLs, and the selection.
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
const deletion = document.querySelector('form[data-deletes]')
deletion?.addEventListener('submit', () => (session.deleted = deletion.dataset.deletes))

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

document.querySelector('.listing')?.addEventListener('click', async ({ target, shiftKey }) => {
  if (target.matches('.pick input')) (await import('./selection.js')).select(target, shiftKey)
})
