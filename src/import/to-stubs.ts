import { isNameOf } from '../config/is-name-of.ts'
import { mask } from '../exchanges/exchange.ts'
import { parseConditions } from '../responses/conditions.ts'
import type { Description } from '../responses/description.ts'
import type { Described } from '../responses/parse-description.ts'
import type { Group, Parameters, Step, Variant } from './group-responses.ts'

type When = Record<string, string>
type Alternative = Described & { when?: When }

/** With several hosts, each path begins with its host. */
export const toPrefix = (host: string, hosts: ReadonlySet<string>) =>
  hosts.size > 1 ? `/${host}` : ''

export function toStub(group: Group, hosts: ReadonlySet<string>): [name: string, value: unknown] {
  const path = `${toPrefix(group.host, hosts)}${group.path.replace(/(?<=.)\/+$/, '')}`
  // A secret in a path is any text.
  const pattern = path.split(mask).map(escapePattern).join('*')
  const variants = [...group.variants.values()]
  const alternatives = variants.map((variant): Alternative => {
    const when = toConditions(variant.parameters, variants)
    return { ...(Object.keys(when).length > 0 && { when }), ...toDescribed(variant.steps, hosts) }
  })
  // One with fewer conditions would take the requests of those with more.
  const count = ({ when = {} }: Alternative) => Object.keys(when).length
  const sorted = alternatives.toSorted((one, other) => count(other) - count(one))
  return [`${group.method} ${pattern}`, sorted.length === 1 ? sorted[0] : sorted]
}

/** `:id`, `*` and groups have a meaning in a pathname of URLPattern. */
const escapePattern = (text: string) => text.replaceAll(/[:*{}()?+\\]/g, String.raw`\$&`)

/** A parameter that has the same value in all requests decides nothing. */
function toConditions(own: Parameters, variants: readonly Variant[]): When {
  const valuesOf = (all: Parameters, name: string) =>
    all.filter(([given]) => given === name).map(([, value]) => value)
  const isSame = (name: string) => {
    const values = JSON.stringify(valuesOf(own, name))
    return variants.every(({ parameters }) => JSON.stringify(valuesOf(parameters, name)) === values)
  }
  const names = [...new Set(own.map(([name]) => name))].filter((name) => !isSame(name))
  const conditions = names.flatMap((name) => {
    const values = valuesOf(own, name)
    const isList = values.length > 1
    return values.map((value, index) => [toConditionName(name, isList ? index : undefined), value])
  })
  const valid = conditions.filter(
    ([name = '', value]) => parseConditions({ [name]: value }).problems.length === 0,
  )
  return Object.fromEntries(valid) as When
}

/** `filter[name]` → `query.filter.name` */
function toConditionName(name: string, index: number | undefined): string {
  const path = name.replaceAll(/\[\]/g, '').replaceAll(/\[([^\]]*)\]/g, '.$1')
  const full = ['query', path, ...(index === undefined ? [] : [String(index)])].join('.')
  return full.includes(':') ? `${full}:eq` : full
}

function toDescribed(steps: readonly Step[], hosts: ReadonlySet<string>): Described {
  const [only] = steps
  if (only && steps.length === 1) return toInside(only, hosts)
  return {
    sequence: steps.map((step) => {
      return { ...toInside(step, hosts), ...(step.times > 1 && { times: step.times }) }
    }),
  }
}

/** A redirect to a host of the archive leads to its stubs. */
function toInside(
  { description, location }: Omit<Step, 'times'>,
  hosts: ReadonlySet<string>,
): Description {
  const { headers } = description
  if (!headers || !location || !hosts.has(location.host)) return description
  const { host, pathname, search, hash } = location
  const inside = `${toPrefix(host, hosts)}${pathname}${search}${hash}`
  const [name = ''] = Object.keys(headers).filter((given) => /^location$/i.test(given))
  return isNameOf(headers, name)
    ? { ...description, headers: { ...headers, [name]: inside } }
    : description
}
