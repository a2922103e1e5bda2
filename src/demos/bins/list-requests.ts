import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { toPath } from '../../http/request/target.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { sendChunks, toJsonArray, toJsonLines } from '../../http/response/send.ts'
import { toHref } from '../../resources/list/list-parameters.ts'
import type { Bin } from './bin-store.ts'
import type { BinServices } from './capture.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { BinEvents } from './events.ts'
import { parseRequestList, type RequestList } from './parse-list.ts'

/** All that match, streamed, or a page of them. */
export function listRequests({ requests }: BinServices, events: BinEvents) {
  return async (request: FastifyRequest, reply: FastifyReply, { id }: Bin) => {
    const type = chooseType(request, reply, ['application/json', 'application/x-ndjson'])
    const list = parseRequestList(request)
    const find = () => findMatching(requests.pages(id, list.isDescending), list)
    if (list.waitSeconds > 0) await events.wait(reply, { bin: id, list, find })
    const pages = list.part ? [await selectPart(reply, list, find())] : find()
    const toChunks = type === 'application/json' ? toJsonArray : toJsonLines
    return sendChunks(
      reply,
      type,
      toChunks<CapturedRequest>(pages, (one) => requestToJson(id, one)),
    )
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

/** Also sets the total and the links to other pages. */
async function selectPart(
  reply: FastifyReply,
  { part, parameters }: RequestList,
  found: Found,
): Promise<readonly CapturedRequest[]> {
  const { offset = 0, limit = 0, page } = part ?? {}
  const selected: CapturedRequest[] = []
  let total = 0
  for await (const some of found) {
    const start = Math.max(0, offset - total)
    selected.push(...some.slice(start, start + limit - selected.length))
    total += some.length
  }
  reply.header('x-total-count', String(total))
  const path = toPath(reply.request.url)
  const toUrl = (number: number) => toHref({ path, parameters }, { page: String(number) })
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
