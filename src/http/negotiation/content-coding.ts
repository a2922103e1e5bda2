import { remember } from '../remember.ts'

/** In the order of the server: zstd takes less time than br, and is smaller than gzip. */
const codings = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof codings)[number]

const memberFormat =
  /^[ \t]*([\w!#$%&'*+.^`|~-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?[ \t]*$/

/** RFC 9110 §12.5.3. Invalid members are ignored. */
export const chooseCoding = remember((accepted) => {
  const weights = new Map<string, number>()
  for (const member of accepted.toLowerCase().split(',')) {
    const [, name, weight = 1] = memberFormat.exec(member) ?? []
    if (name !== undefined) weights.set(name, Number(weight))
  }
  const weigh = (name: string, fallback = 0) => weights.get(name) ?? weights.get('*') ?? fallback
  const [coding] = codings
    .filter((name) => weigh(name) > 0 && weigh(name) >= (weights.get('identity') ?? 0))
    .toSorted((one, other) => weigh(other) - weigh(one))
  return { coding, isIdentityAllowed: weigh('identity', 1) > 0 }
})

/** RFC 9110 §8.8.3.3: the same content has another tag in each coding. */
export function toCodedTag(etag: string, coding: Coding): string {
  return etag.replace(/"$/, `+${coding}"`)
}

export function withoutCodings(tags: string): string {
  return tags.replaceAll(/\+(?:zstd|br|gzip)"/g, '"')
}
