import { renderCodeBlock } from '../../site/highlight.ts'
import { html, type Html } from '../../site/html.ts'
import { renderNotice, renderTime, type Page } from '../../site/page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { toListLink, toRecordPath, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { capitalize, findValue, toRecordName, valueToHtml } from '../field-values.ts'
import { renderRemoved } from '../relations/plan-removal.ts'
import type { RelatedHtml, ToParentLink } from '../relations/relations.ts'

export function renderRecordPage(
  context: ResourceContext,
  record: StoredRecord,
  {
    etag,
    flash,
    related,
  }: { etag: string; flash?: Html | undefined; related?: RelatedHtml | undefined },
): Page {
  const { resource, config } = context
  const { title, isSingular } = resource
  const path = toRecordPath(resource, record.id)
  const name = isSingular ? title : toRecordName(resource, record)
  const figure = resource.createFigure?.()
  figure?.add(record)
  return {
    title: name,
    styles: ['lists.css'],
    scripts: ['records.js'],
    back: toListLink(resource),
    main: html`${config.readOnly ? '' : renderActions(context, { path, name, etag })}${flash ?? ''}<div class="record">
${recordDetails(resource, record, related?.toParentLink)}
${figure?.toHtml() ?? ''}</div>
${related?.children ?? ''}<ul class="chips types" aria-label="Other representations">
<li><a href="${path}.json" type="application/json">JSON</a></li>
<li><a href="${path}.txt" type="text/plain">Text</a></li>
</ul>`,
  }
}

interface Shown {
  path: string
  name: string
  etag: string
}

function renderActions(context: ResourceContext, { path, name, etag }: Shown): Html {
  const { singular, isSingular } = context.resource
  const confirm = html`<details class="confirm"><summary>Delete</summary>
<form method="post" action="${path}" data-deletes="${name}">${renderMethodInputs('DELETE', etag)}
<p>Delete this ${singular}? This cannot be undone.</p>
${renderRemoved(context, 'it')}<p class="actions"><button type="submit" class="danger">Yes, delete it</button> <a class="button second" href="${path}">Cancel</a></p></form>
</details>
`
  return html`<div class="actions top">
<a class="button" href="${path}/edit">Edit</a>
${isSingular ? '' : confirm}</div>
`
}

export function recordDetails(
  resource: Resource,
  record: StoredRecord,
  toParentLink?: ToParentLink,
): Html {
  const { readable, hasTimes, isSingular, isValue } = resource
  if (isValue)
    return renderCodeBlock(JSON.stringify(record.document.value ?? null, null, 2), 'json')
  const items = readable.map((field) => {
    const value = findValue(record.document, field.name)
    if (value === undefined || value === '') return ''
    const kind = ['long text', 'texts'].includes(field.kind) ? html` class="prose"` : ''
    return html`<dt>${field.label}</dt><dd${kind} dir="auto">${toParentLink?.(record, field.name) ?? valueToHtml(field, value)}</dd>\n`
  })
  return html`<dl class="details">
${items}${
    hasTimes
      ? html`<dt>Created</dt><dd>${renderTime(record.createdAt)}</dd>
<dt>Updated</dt><dd>${renderTime(record.updatedAt)}</dd>\n`
      : ''
  }${isSingular ? '' : html`<dt>ID</dt><dd><code>${record.id}</code></dd>\n`}</dl>`
}

export function renderMethodInputs(method: 'PATCH' | 'PUT' | 'DELETE', etag: string): Html {
  return html`<input type="hidden" name="_method" value="${method}"><input type="hidden" name="_if_match" value="${etag}">`
}

/** `own` is the URL of the page with the notice: the form was sent to another. */
export function renderCreated(resource: Resource, { id }: StoredRecord, own?: string): Html {
  const title = capitalize(resource.singular)
  const url = toRecordPath(resource, id)
  return renderNotice(
    html`${title} created. Its URL is <a href="${url}" data-own="${own ?? url}">${url}</a>.`,
  )
}
