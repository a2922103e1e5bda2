type Rules = Readonly<Record<string, string>>

const parts = /:(\w+)|\*|[^:*]+|:/g

/** Applies each rule to the result of those before: `/api/*` to `/$1`, `/:kind/:id/show` to `/:kind/:id`. */
export function createRewriter(rules: Rules): (target: string) => string {
  const compiled = Object.entries(rules).map(([from, to]) => {
    // What a part stands for: its name, or its number as text.
    const names: string[] = []
    const source = from.replaceAll(parts, (part, name?: string) => {
      if (name === undefined && part !== '*') return part.replaceAll(/[^\w/]/g, '\\$&')
      names.push(name ?? String(names.length))
      return part === '*' ? '(.*)' : '([^/]+?)'
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
