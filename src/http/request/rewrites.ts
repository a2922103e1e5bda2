import pathToRegexp, { type Key } from 'path-to-regexp'
import { maxRewriteMs } from '../../config/limits.ts'
import { runWithin } from '../run-within.ts'

type RewriteRules = Readonly<Record<string, unknown>>

/** Applies each rule to the result of those before, as json-server 0.17 does with express-urlrewrite. */
export function createRewriter(rules: RewriteRules): (target: string) => string {
  const compiled = Object.entries(rules)
    .map(([from, to]) => compile(from, to))
    .filter((rule) => typeof rule !== 'string')
  const rewrite = (target: string) => compiled.reduce((url, apply) => apply(url), target)
  if (compiled.length === 0) return (target) => target
  return (target) => runWithin(maxRewriteMs, () => rewrite(target)) ?? target
}

export function findRewriteProblems(rules: RewriteRules): string[] {
  return Object.entries(rules).flatMap(([from, to]) => {
    const rule = compile(from, to)
    return typeof rule === 'string' ? `${JSON.stringify(from)} is not applied: ${rule}` : []
  })
}

function compile(from: string, to: unknown) {
  if (typeof to !== 'string' || !to.startsWith('/'))
    return 'its target must be a text that starts with /'
  if (!/^[/:(*]/.test(from)) return 'a pattern that does not start with / matches no URL'
  const keys: Key[] = []
  let pattern: RegExp
  try {
    pattern = pathToRegexp(from, keys)
  } catch {
    return 'it is not a pattern of path-to-regexp 1'
  }
  const names = keys.map(({ name }) => String(name))
  const unknown = [...to.matchAll(/:(\w+)/g)].find(([, name = '']) => !names.includes(name))
  if (unknown) return `the pattern has no ${unknown[0]}`
  return (url: string) => {
    const found = pattern.exec(url)
    if (!found) return url
    const toText = (_: string, number?: string, name = '') =>
      String(found[number === undefined ? names.lastIndexOf(name) + 1 : Number(number)])
    return to.replaceAll(/\$(\d+)|:(\w+)/g, toText)
  }
}
