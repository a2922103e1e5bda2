import { html, type Html } from '../../site/html.ts'
import { page, time } from '../../site/page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { findValue, toRecordName, valueToHtml } from '../field-values.ts'
import { methodInputs } from '../write/form-page.ts'
import { toTag } from './representations.ts'

export function recordPage(resource: Resource, record: StoredRecord, flash?: Html): Html {
  const path = `${resource.path}/${record.id}`
  const name = toRecordName(resource, record)
  const figure = resource.createFigure?.()
  figure?.add(record, { label: name, href: path })
  return page({
    title: name,
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${resource.path}">All ${resource.title.toLowerCase()}</a></nav>
${flash ?? ''}<div class="record">
${recordDetails(resource, record)}
${figure?.toHtml() ?? ''}</div>
<div class="actions">
<p><a class="button" href="${path}/edit">Edit</a></p>
<details class="confirm"><summary>Delete</summary>
<form method="post" action="${path}">${methodInputs('DELETE', toTag(record))}
<p>Delete this ${resource.singular}? This cannot be undone.</p>
<p><button type="submit" class="danger">Yes, delete it</button></p></form>
</details>
</div>
<p class="quiet types">Also available as <a href="${path}.json" type="application/json">JSON</a> and <a href="${path}.txt" type="text/plain">text</a>.</p>`,
  })
}

export function recordDetails({ readable }: Resource, record: StoredRecord): Html {
  const items = readable.map((field) => {
    const value = findValue(record.document, field.name)
    if (value === undefined || value === '') return ''
    const kind = field.kind === 'long text' ? html` class="prose"` : ''
    return html`<dt>${field.label}</dt><dd${kind}>${valueToHtml(field, value)}</dd>\n`
  })
  return html`<dl>
${items}<dt>Created</dt><dd>${time(record.createdAt)}</dd>
<dt>Updated</dt><dd>${time(record.updatedAt)}</dd>
<dt>Id</dt><dd><code>${record.id}</code></dd>
</dl>`
}
