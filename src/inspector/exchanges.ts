import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Exchange, ExchangeSummary } from './exchange.ts'
import type { ExchangeLog, News, Search } from './exchange-log.ts'
import {
  isMatch,
  toCursor,
  type ExchangeFilter,
  type ExchangeQuery,
  type Viewer,
} from './filter.ts'

export interface ExchangePage<Item = ExchangeSummary> {
  /** The latest first. */
  exchanges: readonly Item[]
  /** Of the next page, if there is one. */
  next?: string | undefined
  /** Whether it has the exchanges of all processes of the service, or of one replica only. */
  scope: 'service' | 'replica'
}

export interface ExchangeBatch {
  /** The oldest first. */
  exchanges: readonly ExchangeSummary[]
  /** How many exchanges of all clients are in no batch because there were too many. */
  missed: number
}

/** The exchanges of all processes that a viewer may see. */
export type Exchanges = ReturnType<typeof openExchanges>

type Question =
  | { find: Search; viewer: Viewer }
  | { list: Search; viewer: Viewer }
  | { clear: true; viewer: Viewer }
  | { news: Readonly<Record<string, number>> }

/** Fetch Standard, HTTP-redirect fetch: a browser follows at most 20 redirects. */
const maxChain = 21
const tickMs = 250
const maxInBatch = 200
const maxExported = 1000
/** At once: more would block other requests. */
const [maxListed, maxDecoded] = [100, 10]

export type AskOthers = (question: string) => Promise<readonly unknown[]>

/** `ask` sends a question to the other processes, and each responds with the result of its `respond`. */
export function openExchanges(log: ExchangeLog, ask: AskOthers, scope: ExchangePage['scope']) {
  const askAll = async <Item>(question: Question): Promise<readonly Item[]> => {
    const own = respond(log, question)
    const others = await ask(JSON.stringify(question))
    // Other processes run the same code.
    return [own, ...others].flat() as Item[]
  }
  const page = async <Item extends ExchangeSummary>(
    kind: 'find' | 'list',
    { limit, ...query }: ExchangeQuery,
    viewer: Viewer,
  ): Promise<ExchangePage<Item>> => {
    const search = { ...query, limit: limit + 1 }
    const question = kind === 'find' ? { find: search, viewer } : { list: search, viewer }
    const found = (await askAll<Item>(question)).toSorted(byTime).toReversed()
    const exchanges = found.slice(0, limit)
    const last = found.length > limit ? exchanges.at(-1) : undefined
    return { exchanges, next: last && toCursor(last), scope }
  }
  const find = async (search: Search, viewer: Viewer) =>
    (await askAll<Exchange>({ find: search, viewer })).toSorted(byTime)
  return {
    mode: log.mode,
    find: async (id: string, viewer: Viewer): Promise<Exchange | undefined> =>
      log.findWhole({ id }, viewer)[0] ?? (await find({ id }, viewer))[0],
    /** The latest 21 with an X-Request-Id, the oldest first. */
    findChain: async (requestId: string, viewer: Viewer): Promise<readonly Exchange[]> =>
      (await find({ requestId, limit: maxChain }, viewer)).slice(-maxChain),
    list: (query: ExchangeQuery, viewer: Viewer) => page<ExchangeSummary>('list', query, viewer),
    /** The latest 1,000, the oldest first. */
    pagesOfWhole: async function* (filter: ExchangeFilter, viewer: Viewer) {
      const cursors: string[] = []
      let before: string | undefined
      do {
        const query: ExchangeQuery = { ...filter, before, limit: maxListed }
        const { exchanges, next }: ExchangePage = await page('list', query, viewer)
        cursors.push(...exchanges.map(toCursor))
        before = next
        await setImmediate()
      } while (before !== undefined && cursors.length < maxExported)
      for (let end = cursors.length; end > 0; end -= maxDecoded) {
        const start = Math.max(end - maxDecoded, 0)
        // After the newest of them.
        const query = { ...filter, before: `${cursors[start] ?? ''}~`, limit: end - start }
        yield (await page<Exchange>('find', query, viewer)).exchanges.toReversed()
      }
    },
    clear: async (viewer: Viewer): Promise<void> => {
      await askAll({ clear: true, viewer })
    },
    watch: createWatch(log, (numbers) => askAll<News>({ news: numbers })),
    respond: (question: string) => respond(log, JSON.parse(question) as Question),
  }
}

function respond(log: ExchangeLog, question: Question): unknown {
  if ('find' in question) return log.findWhole(question.find, question.viewer)
  if ('list' in question) return log.findSummaries(question.list, question.viewer)
  if ('news' in question) return [log.readNews(question.news, maxInBatch)]
  log.clear(question.viewer)
  return []
}

function byTime(one: ExchangeSummary, other: ExchangeSummary): number {
  return toCursor(one) < toCursor(other) ? -1 : 1
}

interface Watcher {
  filter: ExchangeFilter
  viewer: Viewer
  listener: (batch: ExchangeBatch) => void
}

/** One timer for all watchers: what they cost does not depend on the number of exchanges. */
function createWatch(
  { mode }: ExchangeLog,
  readNews: (numbers: Readonly<Record<string, number>>) => Promise<readonly News[]>,
) {
  const watchers = new Set<Watcher>()
  let isRunning = false
  const run = async () => {
    const numbers: Record<string, number> = {}
    while (watchers.size > 0) {
      const news = await readNews(numbers)
      for (const { processId, next } of news) numbers[processId] = next
      for (const watcher of watchers) notify(watcher, news, mode)
      await setTimeout(tickMs, undefined, { ref: false })
    }
    isRunning = false
  }
  /** Calls back with new exchanges, at most four times a second. Returns the function that ends it. */
  return (filter: ExchangeFilter, viewer: Viewer, listener: Watcher['listener']): (() => void) => {
    const watcher = { filter, viewer, listener }
    watchers.add(watcher)
    if (!isRunning) void run()
    isRunning = true
    return () => watchers.delete(watcher)
  }
}

function notify({ filter, viewer, listener }: Watcher, news: readonly News[], mode: string): void {
  const exchanges = news
    .flatMap(({ summaries }) => summaries)
    .filter(({ owner }) => mode === 'all' || (owner !== undefined && owner === viewer))
    .filter((summary) => isMatch(filter, summary, viewer))
    .map(({ owner, ...summary }) => ({
      ...summary,
      isOwn: owner !== undefined && owner === viewer,
    }))
    .toSorted(byTime)
  const missed = news.reduce((sum, one) => sum + one.missed, 0)
  if (exchanges.length > 0 || missed > 0) listener({ exchanges, missed })
}
