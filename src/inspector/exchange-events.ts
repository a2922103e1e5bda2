import { toEvent, type EventSource } from '../http/response/event-stream.ts'
import { toNotice, type Coverage } from './ask-others.ts'
import type { ExchangeSummary } from './exchange.ts'
import type { ExchangeBatch } from './exchanges.ts'
import { toCursor } from './filter.ts'

export const maxPending = 200

/** Between two parts, other requests get their turn. */
const maxAtOnce = 20

export interface BatchSource {
  watch: (listener: (batch: ExchangeBatch) => void) => () => void
  load: () => Promise<ExchangeBatch>
  toValue: (exchange: ExchangeSummary) => unknown
}

/** An event for each exchange, for the number of those that a viewer missed, and for a changed coverage. */
export function toExchangeEvents({ watch, load, toValue }: BatchSource): EventSource {
  let pending: readonly ExchangeSummary[] = []
  let missed = 0
  let coverage: Coverage | undefined
  let last = ''
  const set = (exchanges: typeof pending, more: number) => {
    pending = exchanges.slice(-maxPending)
    missed += more + exchanges.length - pending.length
  }
  const read = () => {
    const texts = pending.slice(0, maxAtOnce).map((exchange) => {
      last = toCursor(exchange)
      return toEvent('exchange', last, toValue(exchange))
    })
    const gap = missed === 0 ? '' : toEvent('missed', last, { count: missed })
    const change = coverage
      ? toEvent('coverage', last, { ...coverage, notice: toNotice(coverage) })
      : ''
    pending = pending.slice(maxAtOnce)
    missed = 0
    coverage = undefined
    return change + gap + texts.join('')
  }
  return {
    watch: (wake) =>
      watch((batch) => {
        set([...pending, ...batch.exchanges], batch.missed)
        coverage = batch.coverage ?? coverage
        wake()
      }),
    start: async () => {
      const before = await load()
      set([...before.exchanges, ...pending], before.missed)
      return { read }
    },
  }
}
