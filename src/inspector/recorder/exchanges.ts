import { maxExportedExchanges } from '../../config/limits.ts'
import { compileLater } from '../../http/body/json-schema.ts'
import { toNotice, type AskOthers, type Coverage } from './ask-others.ts'
import {
  exchangeSchema,
  summarySchema,
  type Exchange,
  type Summary,
} from '../../exchanges/exchange.ts'
import { createNews } from './exchange-events.ts'
import {
  newsSchema,
  type ExchangeLog,
  type News,
  type NewsQuery,
  type ExchangeSearch,
} from './exchange-log.ts'
import {
  sortExchanges,
  toCursor,
  toSandbox,
  type ExchangeFilter,
  type ExchangeQuery,
  type Viewer,
} from './filter.ts'

export interface ExchangePage<Item = Summary> extends Coverage {
  exchanges: readonly Item[]
  next?: string | undefined
  removed?: number | undefined
}

export type Exchanges = ReturnType<typeof openExchanges>

type Question =
  | { find: ExchangeSearch; viewer: Viewer }
  | { list: ExchangeSearch; viewer: Viewer }
  | { clear: true; viewer: Viewer }
  | { news: NewsQuery }

/** Fetch Standard, HTTP-redirect fetch: a browser follows at most 20 redirects. */
const maxChain = 21
const maxInBatch = 200
const maxListed = 100
/** So many whole exchanges are in memory at once. */
const maxDecoded = 4

export function openExchanges(log: ExchangeLog, ask: AskOthers) {
  const askAll = async <Item>(question: Question): Promise<FoundExchanges<Item>> => {
    const asked = ask(JSON.stringify(question))
    const [own, { values, silent, scope }] = await Promise.all([respond(log, question), asked])
    const valid = values.filter((value) => isResponse(question, value))
    const coverage = { silent: silent + values.length - valid.length, scope }
    const isAlone = values.length + silent === 0
    // `isResponse` has checked those of other processes.
    return { items: [own, ...valid].flat() as Item[], coverage, isAlone }
  }
  const page = async <Item extends Summary>(
    kind: 'find' | 'list',
    { limit, offset = 0, ...query }: ExchangeQuery,
    viewer: Viewer,
  ): Promise<ExchangePage<Item>> => {
    const search = { ...query, limit: offset + limit + 1 }
    const question = kind === 'find' ? { find: search, viewer } : { list: search, viewer }
    const { items, coverage, isAlone } = await askAll<Item>(question)
    // A visitor who sees only their own exchanges is not shown how many of all were removed.
    const isAll = log.mode === 'all' && toSandbox(viewer) === undefined
    const removed = isAlone && isAll ? log.removed() : undefined
    const found = sortExchanges(items.toSorted(byTime).toReversed(), query.sort)
    const exchanges = found.slice(offset, offset + limit)
    const last = found.length > offset + limit ? exchanges.at(-1) : undefined
    return { exchanges, next: last && toCursor(last), removed, ...coverage }
  }
  return {
    mode: log.mode,
    clearsAll: log.clearsAll,
    find: async (id: string, viewer: Viewer): Promise<{ exchange?: Exchange; notice: string }> => {
      const [exchange] = await log.findWhole({ id }, viewer)
      if (exchange !== undefined) return { exchange, notice: '' }
      const { items, coverage } = await askAll<Exchange>({ find: { id }, viewer })
      return { ...(items[0] && { exchange: items[0] }), notice: toNotice(coverage) }
    },
    findChain: async (requestId: string, viewer: Viewer): Promise<readonly Exchange[]> => {
      const { items } = await askAll<Exchange>({ find: { requestId, limit: maxChain }, viewer })
      return items.toSorted(byTime).slice(-maxChain)
    },
    list: (query: ExchangeQuery, viewer: Viewer) => page<Summary>('list', query, viewer),
    pagesOfWhole: async function* (filter: ExchangeFilter, viewer: Viewer) {
      const cursors: string[] = []
      let before: string | undefined
      do {
        const query: ExchangeQuery = { ...filter, before, limit: maxListed }
        const { exchanges, next }: ExchangePage = await page('list', query, viewer)
        cursors.push(...exchanges.map(toCursor))
        before = next
      } while (before !== undefined && cursors.length < maxExportedExchanges)
      for (let end = cursors.length; end > 0; end -= maxDecoded) {
        const start = Math.max(end - maxDecoded, 0)
        const query = { ...filter, before: `${cursors[start] ?? ''}~`, limit: end - start }
        yield (await page<Exchange>('find', query, viewer)).exchanges.toReversed()
      }
    },
    clear: async (viewer: Viewer): Promise<Coverage> =>
      (await askAll({ clear: true, viewer })).coverage,
    watch: createNews(log.mode, (news) => askAll<News>({ news })),
  }
}

export function respondTo(question: string, log: ExchangeLog): Promise<unknown> {
  // `askAll` of another process, which runs the same code, has sent it.
  return respond(log, JSON.parse(question) as Question)
}

async function respond(log: ExchangeLog, question: Question): Promise<unknown> {
  if ('find' in question) return log.findWhole(question.find, question.viewer)
  if ('list' in question) return log.findSummaries(question.list, question.viewer)
  if ('news' in question) return [log.readNews(question.news, maxInBatch)]
  log.clear(question.viewer)
  return []
}

const validateWhole = compileLater({ type: 'array', items: exchangeSchema })
const validateSummaries = compileLater({ type: 'array', items: summarySchema })
const validateNews = compileLater({ type: 'array', items: newsSchema })

/** Other clients of the same Redis can publish anything. */
function isResponse(question: Question, value: unknown): boolean {
  if ('find' in question) return validateWhole().Check(value)
  if ('list' in question) return validateSummaries().Check(value)
  return 'clear' in question || validateNews().Check(value)
}

function byTime(one: Summary, other: Summary): number {
  return toCursor(one) < toCursor(other) ? -1 : 1
}

interface FoundExchanges<Item> {
  isAlone: boolean
  items: readonly Item[]
  coverage: Coverage
}
