import { html, type Html } from '../../site/html.ts'
import { page, time } from '../../site/page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { ifMatchField } from '../write/form-page.ts'
import { toName } from './record-name.ts'
import { toRepresentation } from './representations.ts'
import { toTag } from './validators.ts'

/** One record: what is known of it, and what can be done with it. */
export function recordPage(resource: Resource, record: StoredRecord, flash?: Html): Html {
  const path = `${resource.path}/${record.id}`
  const name = toName(resource, record)
  const figure = resource.createFigure?.()
  figure?.add(record, { label: name, href: path })
  return page({
    title: name,
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${resource.path}">All ${resource.title.toLowerCase()}</a></nav>
${flash ?? ''}<div class="record">
${recordFacts(resource, record)}
${figure?.toHtml() ?? ''}</div>
<div class="actions">
<p><a class="button" href="${path}/edit">Edit</a></p>
${removal(resource, record)}
</div>
<p class="quiet types">This ${resource.singular} for programs: <a href="${path}.json" type="application/json">JSON</a> and <a href="${path}.txt" type="text/plain">text</a>.</p>`,
  })
}

/** All that may be seen of a record. */
export function recordFacts(resource: Resource, record: StoredRecord): Html {
  const shown = toRepresentation(resource, record)
  const fields = resource.fields.map(({ name, label, kind }) => {
    const value = shown[name]
    if (value === undefined || value === '') return ''
    return html`<dt>${label}</dt><dd${kind === 'long text' ? html` class="prose"` : ''}>${value}</dd>\n`
  })
  return html`<dl>
${fields}<dt>Created</dt><dd>${time(record.createdAt)}</dd>
<dt>Updated</dt><dd>${time(record.updatedAt)}</dd>
<dt>Id</dt><dd><code>${record.id}</code></dd>
</dl>`
}

/** Asks first: the button that deletes is seen only once this is opened. */
function removal(resource: Resource, record: StoredRecord): Html {
  return html`<details class="confirm"><summary>Delete</summary>
<form method="post" action="${resource.path}/${record.id}"><input type="hidden" name="_method" value="DELETE">${ifMatchField(toTag(record))}
<p>This ${resource.singular} will be gone for good.</p>
<p><button type="submit" class="danger">Yes, delete it</button></p></form>
</details>`
}
