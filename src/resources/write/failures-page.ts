import { explainProblem, type HttpError } from '../../http/errors/http-error.ts'
import { html } from '../../site/html.ts'
import type { Page } from '../../site/page.ts'
import { toListLink, toRecordPath } from '../context.ts'
import type { Resource } from '../definition.ts'
import { toLower } from '../field-values.ts'

export interface Failure {
  id: string
  name: string
  error: HttpError
}

function explain({ status, message, fields }: HttpError): string {
  if (status === 412) return 'It has changed since the list was loaded.'
  return fields.length > 0 ? fields.map((field) => explainProblem(field)).join(' ') : message
}

export function renderFailures(
  resource: Resource,
  failures: readonly Failure[],
  { count, list }: { count: number; list: string },
): Page {
  const { title } = resource
  const many = toLower(title)
  const items = failures.map(({ id, name, error }) => {
    const links = error.links.map(([url, text]) => html` <a href="${url}">${text}</a>`)
    return html`<li><a href="${toRecordPath(resource, id)}"><bdi>${name}</bdi></a>: ${explain(error)}${links}</li>\n`
  })
  return {
    title: count === failures.length ? `No ${many} were deleted` : `Not all ${many} were deleted`,
    back: toListLink(resource),
    main: html`<div class="notice error" role="alert"><p>Deleted ${count - failures.length} of ${count}. These were not deleted:</p>
<ul>
${items}</ul></div>
<p><a class="button second" href="${list}">Back to the list</a></p>`,
  }
}
