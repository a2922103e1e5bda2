import { isObject } from '../../config/is-object.ts'
import { explainProblem, HttpError, unprocessable } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { toQueryText } from '../../http/request/target.ts'
import { setFlash } from '../../site/flash.ts'
import { html } from '../../site/html.ts'
import type { Page } from '../../site/page.ts'
import { sendPage } from '../../site/send-page.ts'
import {
  assertFound,
  toListLink,
  toRecordPath,
  type Handler,
  type ResourceContext,
} from '../context.ts'
import type { Resource } from '../definition.ts'
import { assertMayWrite } from './write.ts'
import { writeRecord } from './write-record.ts'

interface Failure {
  id: string
  error: HttpError
}

/** Each record is deleted as by a DELETE of its own: one that fails keeps no other. */
export function destroyMany(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    const chosen = parseChosen(request.body)
    const failures: Failure[] = []
    for (const { id, tag } of chosen) {
      const headers = { ...request.headers, ...(tag && { 'if-match': tag }) }
      try {
        await writeRecord(context, id, (current) => {
          const found = assertFound(resource, id, current)
          assertMayWrite({ headers, raw: { headers } }, context, found)
          return undefined
        })
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        failures.push({ id, error })
      }
    }
    const [first] = failures
    if (first)
      return sendPage(
        reply.code(first.error.status),
        renderFailures(resource, failures, chosen.length),
      )
    setFlash(request, reply, 'deleted')
    return reply.redirect(resource.path + toQueryText(request.url), 303)
  }
}

/** An id, or the entity tag of the record that the list showed and its id. */
function parseChosen(body: unknown) {
  const given: unknown = isObject(body) ? body.delete : undefined
  const texts: unknown[] = [given ?? []].flat()
  const chosen = texts.map((text) => {
    const [, tag, id] = typeof text === 'string' ? (/^("[^"]*")? ?(.+)$/s.exec(text) ?? []) : []
    if (id === undefined)
      throw unprocessable([{ field: 'delete', message: 'must be a list of ids' }])
    return { id, tag }
  })
  if (chosen.length > 0) return chosen
  throw unprocessable([{ field: 'delete', message: 'must have at least one id: select a record' }])
}

function explain({ status, message, fields }: HttpError): string {
  if (status === 412) return 'It has changed since the list was loaded.'
  return fields.length > 0 ? fields.map((field) => explainProblem(field)).join(' ') : message
}

function renderFailures(resource: Resource, failures: readonly Failure[], count: number): Page {
  const { singular, title } = resource
  const items = failures.map(
    ({ id, error }) =>
      html`<li><a href="${toRecordPath(resource, id)}"><bdi>${id}</bdi></a>: ${explain(error)}</li>\n`,
  )
  return {
    title: `Not all ${title.toLowerCase()} were deleted`,
    back: toListLink(resource),
    main: html`<div class="notice error" role="alert"><p>Deleted ${count - failures.length} of ${count}. Each ${singular} below was kept:</p>
<ul>
${items}</ul></div>
<p><a class="button second" href="${resource.path}">Show all ${title.toLowerCase()}</a></p>`,
  }
}
