import type { EventLog } from '../../events/event-log.ts'
import { toEvent } from '../../events/send-events.ts'
import { delay } from '../../timers.ts'
import { toNotice, type Coverage } from './ask-others.ts'
import type { Summary } from '../../exchanges/exchange.ts'
import type { News, NewsQuery } from './exchange-log.ts'
import { isMatch, isOwner, isSameSandbox, toCursor } from './filter.ts'
import type { ExchangeFilter, Viewer } from './filter.ts'

/** Between two parts, other requests get their turn. */
const maxInPart = 20
const tickMs = 250
const maxKept = 1000

export interface NewsPart {
  exchanges: readonly Summary[]
  missed: number
  coverage?: Coverage | undefined
}

type ReadNews = (query: NewsQuery) => Promise<{ items: readonly News[]; coverage: Coverage }>

/**
 * Numbers the new exchanges of all processes while there are viewers. One timer asks for them, so that what viewers
 * cost does not depend on the number of exchanges.
 */
export function createNews(mode: string, readNews: ReadNews) {
  const watchers = new Set<{ viewer: Viewer; wake: () => void }>()
  let kept: { number: number; summary: News['summaries'][number] }[] = []
  let last = 0
  let coverage: Coverage | undefined
  let isRunning = false
  const add = ({ items, coverage: next }: Awaited<ReturnType<ReadNews>>) => {
    const before = last
    // Exchanges that a process could not keep have numbers too, so that a viewer sees the gap.
    last += items.reduce((sum, { missed }) => sum + missed, 0)
    const added = items
      .flatMap(({ summaries }) => summaries)
      .toSorted((one, other) => (toCursor(one) < toCursor(other) ? -1 : 1))
      .map((summary) => ({ number: (last += 1), summary }))
    kept = [...kept, ...added].slice(-maxKept)
    const isSame = coverage !== undefined && toNotice(coverage) === toNotice(next)
    coverage = next
    if (last > before || !isSame) for (const { wake } of watchers) wake()
  }
  const run = async () => {
    const numbers: Record<string, number> = {}
    const since = Date.now()
    while (watchers.size > 0) {
      const viewers = new Set(Array.from(watchers, ({ viewer }) => viewer ?? []).flat())
      const news = await readNews({ numbers, since, viewers: [...viewers] })
      for (const { processId, next } of news.items) numbers[processId] = next
      add(news)
      await delay(tickMs, undefined, { ref: false })
    }
    kept = []
    coverage = undefined
    isRunning = false
  }
  const read = (after: number, filter: ExchangeFilter, viewer: Viewer) => {
    const next = kept.filter(({ number }) => number > after).slice(0, maxInPart)
    const end = next.at(-1)?.number ?? last
    const exchanges = next.flatMap(({ summary: { owner, ...summary } }) => {
      const isOwn = isOwner(owner, viewer)
      const isSeen = isSameSandbox(owner, viewer) && (mode === 'all' || isOwn)
      const isVisible = isSeen && isMatch(filter, { owner, ...summary }, viewer)
      return isVisible ? { ...summary, isOwn } : []
    })
    return { part: { exchanges, missed: end - after - next.length, coverage }, last: end }
  }
  return (filter: ExchangeFilter, viewer: Viewer): EventLog<NewsPart> => ({
    findLast: () => last,
    read: (after) => read(after, filter, viewer),
    watch: (wake) => {
      const watcher = { viewer, wake }
      watchers.add(watcher)
      if (!isRunning) void run()
      isRunning = true
      return () => watchers.delete(watcher)
    },
  })
}

interface ExchangeEvents {
  cursor: string
  notice: string | undefined
  toValue: (exchange: Summary) => unknown
}

export function createToText({ cursor, notice, toValue }: ExchangeEvents) {
  return ({ exchanges, missed, coverage }: NewsPart): string => {
    let text = ''
    const add = (name: string, value: unknown) => (text += toEvent(name, cursor, value))
    const next = coverage && toNotice(coverage)
    if (next !== notice && next !== undefined) add('coverage', { ...coverage, notice: next })
    notice = next ?? notice
    if (missed > 0) add('missed', { count: missed })
    for (const exchange of exchanges) {
      cursor = toCursor(exchange)
      add('exchange', toValue(exchange))
    }
    return text
  }
}

/** The number of those that were missed before them is in the first part. */
export function toParts(exchanges: readonly Summary[], missed: number): NewsPart[] {
  const starts = exchanges.keys().filter((index) => index % maxInPart === 0)
  return Array.from(starts, (start) => ({
    exchanges: exchanges.slice(start, start + maxInPart),
    missed: start === 0 ? missed : 0,
  }))
}
