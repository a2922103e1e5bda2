// What several scripts do with elements, pages and storage.
/** In memory where the browser blocks storage. */
export const [local, session] = ['localStorage', 'sessionStorage'].map((name) => {
  try {
    return globalThis[name]
  } catch {
    return {}
  }
})

/** The path `/s/KEY` of the sandbox that this page shows. Below it, it is in the URL of each script. */
export const findSandbox = (page = document) =>
  page.querySelector('[data-sandbox]')?.dataset.sandbox ||
  new URL(import.meta.url).pathname.split('/assets/')[0]

export function create(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/** Adds the option if the select has none with this value. */
export function setOption(select, value) {
  if (![...select.options].some((one) => one.value === value))
    select.append(create('option', {}, value))
  select.value = value
}

export async function fetchPage(path) {
  const response = await fetch(path, { headers: { accept: 'text/html' } })
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/** Version 4. `crypto.randomUUID` exists only over HTTPS and on this machine. */
export function createUuid() {
  const toRandom = (digit) => {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    return (digit ^ (byte & (15 >> (digit / 4)))).toString(16)
  }
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, toRandom)
}

/** Text that is not percent-encoded correctly stays as it is. */
export function decodeLoosely(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
