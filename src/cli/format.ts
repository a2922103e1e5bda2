import pluralize from 'pluralize'
import { findFreshFolder } from '../config/config.ts'
import { formatCount } from '../config/format-count.ts'
import type { Totals } from '../stores/archive/read-archive.ts'

const maxListed = 20

export function formatCounts(
  counts: readonly (readonly [plural: string, count: number])[],
): string {
  const listed = counts.slice(0, maxListed)
  const texts = listed.map(([plural, count]) =>
    formatCount(count, pluralize.singular(plural), plural),
  )
  const others = counts.slice(maxListed).reduce((total, [, count]) => total + count, 0)
  return [...texts, ...(others > 0 ? [formatCount(others, 'other record')] : [])].join(', ')
}

export function formatNames(names: readonly string[]): string {
  const others = names.length - maxListed
  return `${names.slice(0, maxListed).join(', ')}${others > 0 ? ` and ${String(others)} more` : ''}`
}

export function formatTotals({ counts, bytes }: Totals): string {
  return `${formatCounts(counts) || 'no records'} (${formatCount(bytes, 'byte')} of files)`
}

export function assertNotInMemory(url: string): void {
  if (url !== 'sqlite::memory:' && findFreshFolder(url) === undefined) return
  throw new Error(
    'the records of --fresh and of sqlite::memory: are those of one service, which other processes cannot access: start the service without it',
  )
}

/** Others chose the text: a terminal would interpret control characters. */
export const toPrintable = (text: string): string => text.replaceAll(/[^ -~]/g, '?')
