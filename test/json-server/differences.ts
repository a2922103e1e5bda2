import { isDeepStrictEqual } from 'node:util'
import type { Comparable, SentRequest, Version } from './types.ts'

interface Exchange {
  sent: SentRequest
  theirs: Comparable
  ours: Comparable
}

interface Difference {
  versions: readonly Version[]
  isIt: (exchange: Exchange) => boolean
}

function has(sent: SentRequest, pattern: RegExp): boolean {
  return pattern.test(decodeURIComponent(sent.target.replaceAll('+', ' ')))
}

/** The JSON in the call of JSONP. */
function toJson(body: unknown): unknown {
  return JSON.parse(String(body).replace(/^.*?&& \w+\(|\);$/gs, ''))
}

function hasInherited(sent: SentRequest): boolean {
  return has(sent, /[?&][^=]*(__proto__|constructor|toString)|_sort=[^&]*__proto__/)
}

function areEqual(one: Comparable, other: Comparable, ...except: readonly (keyof Comparable)[]) {
  const strip = (of: Comparable) => ({
    ...of,
    ...Object.fromEntries(except.map((name) => [name, ''])),
  })
  return isDeepStrictEqual(strip(one), strip(other))
}

/** By the name in docs/json-server.md. */
export const differences: Readonly<Record<string, Difference>> = {
  'Inherited names': {
    versions: ['0.17', '1'],
    isIt: ({ sent, theirs, ours }) =>
      hasInherited(sent) && areEqual(theirs, ours, 'body', 'total', 'link', 'type'),
  },
  'Names that set a prototype': {
    versions: ['0.17', '1'],
    isIt: ({ ours }) =>
      ours.status === 400 && /must not .*__proto__/.test(JSON.stringify(ours.body)),
  },
  JSONP: {
    versions: ['0.17'],
    isIt: ({ sent, theirs, ours }) =>
      has(sent, /[?&]callback=/) &&
      theirs.type === 'text/javascript' &&
      areEqual(theirs, ours, 'type', 'body') &&
      isDeepStrictEqual(toJson(theirs.body), ours.body),
  },
  'Paths without a resource': {
    versions: ['0.17', '1'],
    isIt: ({ theirs, ours }) =>
      theirs.status >= 400 &&
      ours.status === 404 &&
      String(ours.body).includes('There is nothing at'),
  },
  'Nested routes': {
    versions: ['1'],
    isIt: ({ sent, theirs }) => has(sent, /^\/\w+\/[^/]+\/\w+/) && theirs.status === 404,
  },
  'Methods without a route': {
    versions: ['0.17', '1'],
    isIt: ({ theirs, ours }) => theirs.status >= 400 && ours.status === 405,
  },
  'Bodies that are not valid': {
    versions: ['0.17', '1'],
    isIt: ({ sent, theirs, ours }) =>
      sent.body !== undefined &&
      ours.status === 400 &&
      theirs.status === (theirs.type === 'text/html' ? 400 : 500),
  },
  'Expanding a record without the field': {
    versions: ['0.17'],
    isIt: ({ sent, theirs, ours }) =>
      has(sent, /[?&]_expand=/) &&
      theirs.status === 500 &&
      ours.status === 200 &&
      String(theirs.body).includes("(reading 'toString')"),
  },
  'Ids that are taken': {
    versions: ['0.17'],
    isIt: ({ sent, theirs, ours }) =>
      sent.method === 'POST' && theirs.status === 500 && ours.status === 409,
  },
  'Location of a nested POST': {
    versions: ['0.17'],
    isIt: ({ sent, theirs, ours }) =>
      has(sent, /^\/posts\/\d+\/comments/) && areEqual(theirs, ours, 'location'),
  },
  'Order of random ids': {
    versions: ['1'],
    isIt: ({ sent, theirs, ours }) =>
      has(sent, /[?&](_sort=[^&]*\bid\b|id(_|:)[lg]te?=|_where=.*"id":)/) &&
      areEqual(theirs, ours, 'body'),
  },
  'Repeated _sort or _order': {
    versions: ['0.17'],
    isIt: ({ sent, theirs, ours }) =>
      has(sent, /([?&]_sort=.*[&]_sort=)|([?&]_order=.*&_order=)/) &&
      theirs.status === 500 &&
      ours.status === 200,
  },
}

export function findDifference(version: Version, exchange: Exchange): string | undefined {
  if (isDeepStrictEqual(exchange.theirs, exchange.ours)) return 'none'
  return Object.entries(differences).find(
    ([, { versions, isIt }]) => versions.includes(version) && isIt(exchange),
  )?.[0]
}
