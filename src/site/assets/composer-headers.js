// The headers of a composer: fields for some of them, and rows for the others, of which the last one is empty.
import { create, setOption } from './dom.js'

/** Fetch Standard, forbidden request-headers. */
export const isForbidden = (name) =>
  /^(accept-(charset|encoding)|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*|sec-.*)$/i.test(
    name,
  )

const suggestions = {
  'header-names': [
    ...['Accept-Language', 'Authorization', 'Cache-Control', 'Content-Language', 'Idempotency-Key'],
    ...['If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Range', 'Prefer', 'Range'],
  ],
  'header-values': ['bytes=0-99', 'de', 'no-cache', 'return=minimal', '"1"', '*'],
}

export function openHeaders(form) {
  const fields = [...form.querySelectorAll('[data-in=header]')]
  const rows = form.querySelector('[data-part=headers]')
  const emptyRow = rows.lastElementChild.cloneNode(true)
  const addRow = (...texts) => {
    const row = emptyRow.cloneNode(true)
    for (const [index, text] of texts.entries()) row.children[index].value = text
    rows.append(row)
  }
  rows.addEventListener('input', ({ target }) => {
    if (target.value && target.parentElement === rows.lastElementChild) addRow()
  })
  addSuggestions()
  return {
    read: () => {
      const added = Array.from(rows.children, readRow).filter(([name]) => name)
      const own = fields
        .filter((field) => field.value && !added.some(([name]) => isNamed(field, name)))
        .map(({ dataset, value }) => [dataset.name, value])
      return [...own, ...added]
    },
    fill: (headers) => {
      const others = headers.filter(([name]) => !fields.some((field) => isNamed(field, name)))
      for (const field of fields) setHeader(field, headers)
      rows.replaceChildren()
      for (const header of [...others, []]) addRow(...header)
      rows.parentElement.open ||= others.length > 0
    },
  }
}

const readRow = ({ children }) => Array.from(children, ({ value }) => value.trim())
const isNamed = ({ dataset }, name) => dataset.name.toLowerCase() === name.toLowerCase()

function setHeader(field, headers) {
  const [, value] = headers.find(([name]) => isNamed(field, name)) ?? []
  if (field.matches('select')) setOption(field, value ?? '*/*')
  else field.value = value ?? ''
}

function addSuggestions() {
  if (document.querySelector('#header-names')) return
  for (const [id, texts] of Object.entries(suggestions)) {
    document.body.append(
      create('datalist', { id }, ...texts.map((one) => create('option', {}, one))),
    )
  }
}

/** What a link or the history leaves out of a request. Empty if that is nothing. */
export function listMissing({ names, isBodyMissing }) {
  return new Intl.ListFormat('en').format([...names, ...(isBodyMissing ? ['the body'] : [])])
}
