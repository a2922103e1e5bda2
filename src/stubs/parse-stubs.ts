import { METHODS } from '../http/node-http.ts'
import { isObject } from '../config/is-object.ts'
import { maxStubs } from '../config/limits.ts'
import { checkAlternatives } from '../responses/alternatives.ts'
import type { DescriptionLimits } from '../responses/description-limits.ts'
import { parsePathPattern } from './path-pattern.ts'
import { isOfService, type Stub } from './stub-list.ts'

type Fail = (reason: string, at?: string, names?: readonly string[]) => void

const form = 'must be a method and a path, like "POST /orders/:id/pay"'

/** `fail` gets each problem, with the path of the member that has it. */
export function parseStubs(value: unknown, limits: DescriptionLimits, fail: Fail): Stub[] {
  if (!isObject(value)) {
    fail('must be an object like {"GET /slow": {"delay": 2}}')
    return []
  }
  const entries = Object.entries(value)
  if (entries.length > maxStubs) {
    fail(`has more than ${String(maxStubs)} members`)
    return []
  }
  return entries.flatMap(([name, given]): Stub[] => {
    const at = `/"${name.slice(0, 100)}"`
    const key = parseKey(name)
    if (typeof key === 'string') fail(key, at, [name])
    const report = (message: string, inside: readonly string[]) => {
      fail(message, [at, ...inside].join('/'), [name, ...inside])
    }
    const checked = checkAlternatives(given, { ...limits, isStub: true })
    if ('problems' in checked)
      for (const { field, inside = [], message } of checked.problems)
        report(message, field ? [field, ...inside] : [])
    if (typeof key === 'string' || 'problems' in checked) return []
    return [
      {
        name,
        ...key,
        given,
        alternatives: checked.value,
        draws: { key: name, counts: [], rendered: 0 },
        folder: limits.folder,
      },
    ]
  })
}

const token = /^[\w!#$%&'*+.^`|~-]{1,50}$/
const maxPatternLength = 2000

function parseKey(name: string) {
  const [, method = '', given = ''] = /^(\S+) (\/.*)$/s.exec(name) ?? []
  if (!token.test(method) || name.length > maxPatternLength) return form
  const upper = method.toUpperCase()
  if (upper !== method && METHODS.includes(upper))
    return `has the method ${method}, and methods are case-sensitive: write ${upper}`
  try {
    const pattern = parsePathPattern(given.replace(/(?<=[^/*}])\/+$/, ''))
    if (isOfService(pattern.prefix)) return 'is a path of the service'
    return { method, pattern }
  } catch {
    return `${form}: ${given} is not a pathname of URLPattern`
  }
}
