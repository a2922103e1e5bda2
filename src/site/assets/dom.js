// What several scripts do with elements, pages and storage.
/** In memory where the browser blocks storage. */
export const [local, session] = ['localStorage', 'sessionStorage'].map((name) => {
  try {
    return globalThis[name]
  } catch {
    return {}
  }
})

export function create(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

export async function fetchPage(path) {
  const response = await fetch(path, { headers: { accept: 'text/html' } })
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}
