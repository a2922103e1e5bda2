import { isObject } from '../config/is-object.ts'
import type { Config } from '../config/config.ts'
import { findJson } from '../config/find-json.ts'
import { parseJson } from '../http/body/parse-json.ts'
import { isDecimal } from '../http/request/parameters.ts'
import { html, type Html } from '../site/html.ts'
import { renderTime } from '../site/page.ts'
import type { Document, StoredRecord } from '../stores/records/records.ts'
import { type Field, type Resource } from './definition.ts'
import { toFieldKind, toTypes, type FieldSchema } from '../http/openapi/json-schema.ts'

/** The value of a field, which may be called `constructor`. */
export function findValue(document: Document, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined
}

export function toRecordName(
  resource: Resource,
  { id, document }: Pick<StoredRecord, 'id' | 'document'>,
): string {
  const { naming, namedBy, singular } = resource
  if (namedBy === '') return `${capitalize(singular)} ${id}`
  const value = findValue(document, naming?.name ?? '')
  const isScalar = typeof value === 'string' || typeof value === 'number'
  return isScalar && /[\p{L}\p{N}\p{P}\p{S}]/u.test(String(value)) ? String(value) : id
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const acronyms =
  /\b(api|cpu|css|csv|dns|faq|gps|gpu|html|https?|iban|id|ip|isbn|json|jwt|pdf|qr|ram|rss|seo|sku|sms|sql|ssh|ssl|sso|svg|tls|ui|uri|url|utc|uuid|vat|xml|yaml)(s?)\b/gi

/** `firstName`, `first_name` and `first-name` become `First name`, and `imageUrl` `Image URL`. */
export function toTitle(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z](?!s\b)[a-z])/g, '$1$3 $2$4')
    .replace(/[-_\s]+/g, ' ')
  const text = words
    .trim()
    .replace(/[A-Z][a-z]/g, (start: string) => start.toLowerCase())
    .replace(acronyms, (_, word: string, end: string) => word.toUpperCase() + end.toLowerCase())
  return text === '' ? name : capitalize(text)
}

/** A title within a sentence: its acronyms stay. */
export function toLower(title: string): string {
  return title.replace(/\S+/g, (word) => (/^[A-Z]{2,}s?$/.test(word) ? word : word.toLowerCase()))
}

export function valueToText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function isLinked({ schema: { format } }: Field, value: unknown): value is string {
  return format === 'uri' && typeof value === 'string' && /^https?:/i.test(value)
}

export function valueToHtml(field: Field, value: unknown): Html {
  const { format } = field.schema
  if (typeof value === 'boolean') return html`${value ? 'Yes' : 'No'}`
  if (value === null) return html`<span class="quiet">null</span>`
  const lines = field.kind === 'texts' ? textsToLines(value) : undefined
  if (lines) return html`${lines}`
  if (typeof value === 'object') {
    return html`<pre>${JSON.stringify(value, null, 2)}</pre>`
  }
  if (format === 'email' && typeof value === 'string' && value.includes('@'))
    return renderUrl(`mailto:${value}`, value)
  if (isLinked(field, value)) return renderUrl(value)
  const iso = format === 'date-time' ? toUtc(value) : undefined
  return iso === undefined ? html`${valueToText(value)}` : renderTime(iso)
}

export function renderUrl(href: string, text: string | Html = href): Html {
  return html`<a href="${href}" rel="noreferrer">${text}</a>`
}

function toUtc(value: unknown): string | undefined {
  const milliseconds = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString()
}

export function valueToInputText({ kind, schema }: Field, value: unknown): string {
  if (value === undefined || (value === null && kind !== 'json')) return ''
  if (kind === 'texts') return textsToLines(value) ?? JSON.stringify(value, null, 2)
  if (kind === 'json') return isPlainText(schema, value) ? value : JSON.stringify(value, null, 2)
  if (kind === 'choice') return hasTextChoices(schema) ? valueToText(value) : JSON.stringify(value)
  if (typeof value === 'object') return ''
  // An input of datetime-local has no zone.
  return (kind === 'date-time' ? toUtc(value)?.replace('Z', '') : undefined) ?? valueToText(value)
}

/** JSON of a list or an object, and the start of some. */
const jsonStart = /^[[{]\s*(["[\]{}\d-]|(true|false|null)\b)/

export const isJsonText = (text: string): boolean => jsonStart.test(text)

/** Undefined for texts that would not be the same after a form: with a line break, blank, or like JSON. */
function textsToLines(value: unknown): string | undefined {
  const isLine = (item: unknown) => typeof item === 'string' && /^\S(.*\S)?$/.test(item)
  const lines = Array.isArray(value) && value.every(isLine) ? value.join('\n') : undefined
  return lines === undefined || isJsonText(lines) ? undefined : lines
}

function linesToTexts(text: string): readonly string[] {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

/** Escaped, a longer value could make a page of several megabytes. */
const maxShownLength = 65_536

/** Returns an empty text for a value that is too long for a form. */
export const toFormText = (text: string): string => (text.length > maxShownLength ? '' : text)

/** A field that accepts text and other types shows and takes text without quotes. */
function isPlainText(schema: FieldSchema, value: unknown): value is string {
  return typeof value === 'string' && acceptsText(schema) && findJson(value) === undefined
}

export const acceptsText = (schema: FieldSchema): boolean => toTypes(schema).includes('string')

function hasTextChoices({ enum: choices = [] }: FieldSchema): boolean {
  return choices.every((choice) => typeof choice === 'string')
}

type Limits = Pick<Config, 'maxJsonDepth'>
type FormField = Pick<Field, 'kind' | 'schema' | 'isRequired' | 'isNullable'>

/** A value that cannot be parsed stays text, and fails validation. Throws 400 for invalid JSON. */
export function formToValue(
  { kind, schema, isRequired, isNullable }: FormField,
  sent: unknown,
  limits: Limits,
): unknown {
  // A checkbox that is off sends nothing: the hidden input before it stands for false.
  const value: unknown = kind === 'boolean' && Array.isArray(sent) ? sent.at(-1) : sent
  if (typeof value !== 'string') return convertMembers(schema, value, limits)
  const text = value.trim()
  if (kind === 'texts' && (text !== '' || isRequired || !schema.minItems))
    return isJsonText(text) ? parseJson(text, limits) : linesToTexts(text)
  if (text === '' && isNullable && kind !== 'json') return null
  if (text === '' && !isRequired) return undefined
  switch (kind) {
    case 'number':
      return isDecimal(text) ? Number(text) : value
    case 'boolean':
      // Browsers send `on` for a checkbox without a value.
      return text === 'true' || text === 'on' || (text === 'false' ? false : value)
    case 'choice':
      return hasTextChoices(schema) ? value : parseJson(text, limits)
    case 'json':
      return isPlainText(schema, text) ? value : parseJson(text, limits)
    case 'date-time':
      return /T\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? (toUtc(`${text}Z`) ?? value) : value
    default:
      // A browser sends every line break as two characters.
      return value.replaceAll('\r\n', '\n')
  }
}

function convertMembers(schema: FieldSchema, value: unknown, limits: Limits): unknown {
  const type = Array.isArray(value) ? 'array' : 'object'
  const {
    items,
    properties = {},
    required = [],
    additionalProperties,
  } = schema.anyOf?.find((each) => toTypes(each).includes(type)) ?? schema
  const convert = (inner: unknown, member: FieldSchema | boolean = {}, isKept = true): unknown => {
    if (typeof member !== 'object') return inner
    const { type, enum: choices, anyOf } = member
    // A field without a type may have text or the value that the text stands for.
    if (typeof inner === 'string' && !type && !choices && !anyOf) return inner
    const kind = toFieldKind(member, member)
    const isNullable = toTypes(member).includes('null')
    const field = { kind, schema: member, isRequired: isKept || acceptsText(member), isNullable }
    return formToValue(field, inner, limits)
  }
  if (Array.isArray(value)) return value.map((item) => convert(item, items))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const inside = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    return [name, convert(member, inside, required.includes(name))]
  })
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}
