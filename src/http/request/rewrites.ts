type Rules = Readonly<Record<string, string>>

const parts = /:(\w+)|\*|[^:*]+|:/g

/** Applies each rule to the result of those before: `/api/*` to `/$1`, `/:kind/:id/show` to `/:kind/:id`. */
export function createRewriter(rules: Rules): (target: string) => string {
  const compiled = Object.entries(rules).map(([given, to]) => {
    // In json-server a question mark has to be escaped: `/articles\\?id=:id`.
    const from = given.replaceAll(/\\([^\w:*])/g, '$1')
    // What a part stands for: its name, or its number as text.
    const names: string[] = []
    const source = from.replaceAll(parts, (part, name: string | undefined, start: number) => {
      if (name === undefined && part !== '*') return part.replaceAll(/[^\w/]/g, '\\$&')
      names.push(name ?? String(names.length))
      return part === '*' ? '(.*)' : toName(from.slice(start + part.length))
    })
    return { pattern: new RegExp(`^${source}/?$`, 'i'), names, to }
  })
  return (target) =>
    compiled.reduce((url, { pattern, names, to }) => {
      const found = pattern.exec(url)
      if (!found) return url
      const toText = (_: string, number?: string, name = '') =>
        found[number === undefined ? names.indexOf(name) + 1 : Number(number)] ?? ''
      return to.replaceAll(/\$(\d+)|:(\w+)/g, toText)
    }, target)
}

/** A name ends before what separates it from the next one in its segment: two that overlap cost the square of a URL. */
function toName(rest: string): string {
  const separator = /^([^\w/:*])[^/:*]*[:*]/.exec(rest)?.[1]
  return separator === undefined ? '([^/]+?)' : `([^/\\${separator}]+)`
}
