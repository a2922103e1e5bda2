// Lists and records: the URL of a created record, the name of a deleted one, and short URLs.
import { create, session } from './dom.js'

const notice = document.querySelector('.notice[role=status]')

// The page has the URL of the list, to which the form was sent. Now reload and Back need no POST.
const own = notice?.querySelector('a[data-own]')
if (own) history.replaceState(null, '', own.href)

// Not in the cookie of site/flash.ts: other sites can set cookies, but not the storage of this one.
const { deleted } = session
delete session.deleted
if (deleted !== undefined && notice?.textContent === 'Deleted.') {
  notice.replaceChildren('Deleted ', create('bdi', {}, deleted), '.')
}
for (const form of document.querySelectorAll('form[data-deletes]')) {
  form.addEventListener('submit', () => (session.deleted = form.dataset.deletes))
}

document.querySelector('form.search')?.addEventListener('formdata', ({ formData }) => {
  for (const name of ['q', 'per_page']) if (!formData.get(name)) formData.delete(name)
})
