import { formatRange } from '../../config/format-count.ts'
import { resolve } from '../../http/openapi/component.ts'
import type { FieldSchema } from '../../http/openapi/json-schema.ts'
import type { Parameter, Schema } from '../../http/openapi/operation.ts'
import { html, type Html } from '../html.ts'
import { renderPhrases } from '../prose.ts'
import { exampleToText } from './operations.ts'

interface FieldRow {
  name: string
  isRequired: boolean
  schema: Schema
}

function toRows(schema: Schema, prefix = ''): readonly FieldRow[] {
  const { properties = {}, required = [], items, allOf = [] } = toKnown(schema)
  const own = Object.entries(properties).flatMap(([name, child]) => {
    const path = `${prefix}${name}`
    const row = { name: path, isRequired: required.includes(name), schema: child }
    return [row, ...toRows(child, `${path}${toKnown(child).type === 'array' ? '[]' : ''}.`)]
  })
  return [...own, ...[...allOf, ...(items ? [items] : [])].flatMap((one) => toRows(one, prefix))]
}

function toAlternatives(schema: Schema): readonly Schema[] {
  const { items, anyOf } = toKnown(schema)
  return anyOf ?? (items ? toAlternatives(items) : [schema])
}

function toKnown(schema: Schema): FieldSchema {
  return resolve(schema)
}

export function renderFields(schema: Schema): Html {
  const all = toAlternatives(schema).map((one) => toRows(one))
  if (all.flat().length === 0) return html``
  const { type, description } = toKnown(schema)
  const intro = description ?? (type === 'array' ? 'A list of objects with these fields.' : '')
  return html`${intro && html`<p class="quiet">${intro}</p>\n`}${all.map(
    (rows, index) =>
      html`${index > 0 ? html`<p class="quiet">Or:</p>\n` : ''}${renderTable(rows.map(renderField))}`,
  )}`
}

function renderField({ name, isRequired, schema }: FieldRow): Html {
  const { description } = toKnown(schema)
  return renderRow(name, isRequired, { kind: describeType(schema), description })
}

export function renderParameters(parameters: readonly Parameter[]): Html {
  return renderTable(
    parameters.map(({ name, in: where, required = false, schema, description, example }) =>
      renderRow(name, required, {
        kind: [where, describeType(schema)].filter(Boolean).join(', '),
        description,
        example: exampleToText(example),
      }),
    ),
  )
}

interface Meaning {
  kind: string
  description?: string | undefined
  example?: string
}

export function renderRow(name: string, isRequired: boolean, meaning: Meaning): Html {
  const { kind, description = '', example = '' } = meaning
  return html`<tr><th scope="row"><code>${name}</code>${isRequired ? html` <span class="required">required</span>` : ''}</th>
<td>${kind && html`<span class="quiet">${renderPhrases(kind)}</span> `}${renderPhrases(description)}${example && html` <span class="quiet">Example: <code>${example}</code></span>`}</td></tr>
`
}

export function renderTable(rows: readonly Html[]): Html {
  return html`<div class="table"><table class="fields"><tbody>
${rows}</tbody></table></div>
`
}

function describeType(given: Schema): string {
  const schema = toKnown(given)
  if (schema.anyOf) return [...new Set(schema.anyOf.map(describeType))].join(' or ')
  const { type = '', format, items, pattern, readOnly, writeOnly } = schema
  const ofItems = items === undefined ? '' : describeType(items)
  return [
    type === 'array' ? `list${ofItems && ` of ${ofItems}`}` : type,
    format,
    schema.contentMediaType && 'file',
    'const' in schema && `always ${JSON.stringify(schema.const)}`,
    schema.enum && `one of ${schema.enum.map(String).join(', ')}`,
    formatRange(schema.minimum, schema.maximum),
    describeLength('characters', schema.minLength, schema.maxLength),
    describeLength('items', schema.minItems, schema.maxItems),
    pattern === '^[^\\u0000]*$' ? 'without NUL' : pattern && `matches \`${pattern}\``,
    readOnly && 'read-only',
    writeOnly && 'write-only',
  ]
    .filter(Boolean)
    .join(', ')
}

function describeLength(unit: string, least?: number, most?: number): string {
  if (least === 1 && most === undefined) return 'not empty'
  const range = formatRange(least, most)
  return range && `${range} ${unit}`
}
