// The fields of a composer that set the path, its query and the body.
import { decodeLoosely } from './dom.js'

/** `data-request` has the path, with `{name}` for each field in it. */
export function createValues(form) {
  const { path, method } = JSON.parse(form.dataset.request)
  const isGet = method === 'GET'
  const fields = [...form.querySelectorAll('[data-in=path], [data-in=query]')]
  const named = [...form.querySelectorAll('[name]:not([type=hidden], [type=file])')]
  const inPath = fields.filter((one) => one.dataset.in === 'path')
  const inQuery = [...fields.filter((one) => one.dataset.in === 'query'), ...(isGet ? named : [])]
  const toName = ({ name, dataset }) => name || dataset.name
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/?]*)')
  const pattern = new RegExp(`^${escaped}(?:[?](.*))?$`)
  /** The parameters that have no field. */
  let rest = []
  return {
    isOwn: (target) => pattern.test(target),
    toTarget: () => {
      const filled = inPath.reduce(
        (known, { dataset, value }) =>
          known.replace(`{${dataset.name}}`, () => encodeURIComponent(value)),
        path,
      )
      const pairs = inQuery
        .filter(({ name, value }) => name || value)
        .map((field) => [toName(field), field.value])
      const query = String(new URLSearchParams([...pairs, ...rest]))
      return query ? `${filled}?${query}` : filled
    },
    readTarget: (target) => {
      const match = pattern.exec(target)
      if (!match) return
      const params = new URLSearchParams(match.at(-1) ?? '')
      for (const [index, field] of inPath.entries()) field.value = decodeLoosely(match[index + 1])
      for (const field of inQuery) field.value = params.get(toName(field)) ?? ''
      const names = inQuery.map(toName)
      rest = [...params].filter(([name]) => !names.includes(name))
    },
    toBody: (type) => {
      if (isGet || named.length === 0) return undefined
      const pairs = named.map(({ name, value }) => [name, value])
      if (/json/.test(type)) return JSON.stringify(Object.fromEntries(pairs))
      return /urlencoded/.test(type) ? String(new URLSearchParams(pairs)) : undefined
    },
    readBody: (text, type) => {
      const pairs = isGet ? undefined : toPairs(text, type)
      for (const field of named) if (pairs?.has(field.name)) field.value = pairs.get(field.name)
    },
  }
}

function toPairs(text, type) {
  if (!/json/.test(type)) return new URLSearchParams(text)
  try {
    return new Map(Object.entries(JSON.parse(text)).map(([name, value]) => [name, String(value)]))
  } catch {
    return undefined
  }
}
