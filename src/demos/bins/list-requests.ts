import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { toPath } from '../../http/request/target.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { sendChunks, toJsonArray } from '../../http/response/send.ts'
import { toHref } from '../../resources/list/list-parameters.ts'
import { openBin } from './access.ts'
import type { BinServices } from './capture.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { BinEvents } from './events.ts'
import { parseRequestList, type RequestList } from './parse-list.ts'

/** All that match, streamed, or a page of them. */
export function listRequests(services: BinServices, events: BinEvents) {
  const { bins, requests } = services
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, ['application/json', 'application/x-ndjson'])
    const { id } = await openBin(bins, request, reply)
    const list = parseRequestList(request)
    const find = () => findMatching(requests.pages(id, list.isDescending), list)
    if (list.waitSeconds > 0) await events.wait(reply, { bin: id, list, find })
    const pages = list.part ? [await selectPart(request, reply, { list, found: find() })] : find()
    const toJson = (one: CapturedRequest) => requestToJson(id, one)
    const chunks =
      type === 'application/json'
        ? toJsonArray(toAsync(pages), toJson)
        : toJsonLines(toAsync(pages), toJson)
    return sendChunks(reply, type, chunks)
  }
}

type Found = AsyncIterable<readonly CapturedRequest[]>

export async function* findMatching(pages: Found, { after = '', isMatch }: RequestList) {
  for await (const page of pages) yield page.filter((one) => one.id > after && isMatch(one))
}

/** The first of them. */
export async function collect(found: Found, limit = Infinity): Promise<CapturedRequest[]> {
  const collected: CapturedRequest[] = []
  for await (const page of found) {
    collected.push(...page.slice(0, limit - collected.length))
    if (collected.length >= limit) break
  }
  return collected
}

async function* toJsonLines(pages: Found, toJson: (request: CapturedRequest) => unknown) {
  for await (const page of pages) {
    const lines = page.map((one) => `${JSON.stringify(toJson(one))}\n`)
    if (lines.length > 0) yield lines.join('')
  }
}

async function* toAsync(pages: Found | readonly CapturedRequest[][]) {
  yield* pages
}

interface Selection {
  list: RequestList
  found: Found
}

async function selectPart(
  request: FastifyRequest,
  reply: FastifyReply,
  { list: { part, texts }, found }: Selection,
): Promise<CapturedRequest[]> {
  const { offset = 0, limit = 0, page } = part ?? {}
  const selected: CapturedRequest[] = []
  let total = 0
  for await (const some of found) {
    const start = Math.max(0, offset - total)
    selected.push(...some.slice(start, start + limit - selected.length))
    total += some.length
  }
  reply.header('x-total-count', String(total))
  const parameters = new Map([...texts].map(([name, value]) => [name, [value]]))
  const toUrl = (number: number) =>
    toHref({ path: toPath(request.url), parameters }, { page: String(number) })
  const hasNext = offset + selected.length < total
  if (page) {
    const links = toPageLinks({ ...page, total }, toUrl, hasNext ? toUrl : undefined)
    reply.header('link', toLinkField(links))
  }
  return selected
}

export function requestToJson(bin: string, request: CapturedRequest) {
  const url = `/bins/${bin}/requests/${request.id}`
  return { ...request, isInFile: undefined, url }
}
