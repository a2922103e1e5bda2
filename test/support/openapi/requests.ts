import fc, { type Arbitrary } from 'fast-check'
import { codePoints } from '../code-points.ts'
import type { DocumentedOperation, OpenApiDocument } from '../../../src/http/openapi/document.ts'
import type { Content, Parameter, Schema } from '../../../src/http/openapi/operation.ts'
import { asMultipart } from '../multipart-form.ts'
import { anyValue, validValue } from './arbitraries.ts'
import { isEndless } from '../routes.ts'

export interface GivenRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  payload?: string | Buffer
}

/** Requests for every operation of the document, valid ones and others; some of `ids` exist. */
export function anyRequest(
  { paths }: OpenApiDocument,
  ids: readonly string[],
): Arbitrary<GivenRequest> {
  const operations = Object.entries(paths)
    .flatMap(([path, ofPath]) =>
      Object.entries(ofPath).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ path, method }) => method !== 'get' || !isEndless(path))
  return fc.oneof(
    ...operations.map((one) => ({
      // Unsafe methods can fail in more ways.
      weight: one.method === 'get' ? 1 : 3,
      arbitrary: anyRequestOf({ ...one, ids }),
    })),
  )
}

interface Place {
  path: string
  method: string
  operation: DocumentedOperation
  ids: readonly string[]
}

function anyRequestOf({ path, method, operation, ids }: Place): Arbitrary<GivenRequest> {
  const parameters = (operation.parameters ?? []) as readonly Parameter[]
  const of = (place: Parameter['in']) => parameters.filter((one) => one.in === place)
  const name = method.toUpperCase() as GivenRequest['method']
  return fc
    .record({
      method:
        name === 'GET'
          ? fc.constantFrom('GET' as const, 'GET' as const, 'HEAD' as const)
          : fc.constant(name),
      segments: fc.record(
        Object.fromEntries(of('path').map((one) => [one.name, anySegment(one, ids)])),
      ),
      query: anyQuery(of('query')),
      fields: anyFields(of('header')),
      accept: anyAccept,
      content: anyContent(operation.requestBody?.content ?? {}),
    })
    .map(({ method: chosen, segments, query, fields, accept, content }) => ({
      method: chosen,
      url: path.replaceAll(/\{(\w+)\}/g, (_, segment: string) => segments[segment] ?? '') + query,
      headers: { ...accept, ...fields, ...(name === 'GET' ? {} : content.headers) },
      ...(name === 'GET' ? {} : { payload: content.payload }),
    }))
}

function anySegment({ schema, example }: Parameter, ids: readonly string[]): Arbitrary<string> {
  // Clients remove dot segments from a path before they send it.
  const text = fc.string({ minLength: 1, unit: codePoints }).filter((one) => !/^\.{1,2}$/.test(one))
  return fc
    .oneof(fc.constantFrom(...ids), fc.constant(example), validValue(schema), text)
    .map((value) => encodeURIComponent(String(value) || 'empty'))
}

function anyQuery(parameters: readonly Parameter[]): Arbitrary<string> {
  const pairs = parameters.map(({ name, schema, example, explode = true }) =>
    fc
      .oneof(fc.constant(example), validValue(schema), fc.string({ unit: codePoints }))
      .map((value) => {
        const texts = [value].flat().map(toText)
        return (explode ? texts : [texts.join(',')]).map((text) => [name, text] as const)
      }),
  )
  // With many at once hardly anything would be found.
  const given = fc
    .shuffledSubarray(pairs, { maxLength: Math.min(pairs.length, 3) })
    .chain((some) => fc.tuple(...some))
  return given
    .map((all) => all.flat())
    .map((given) => new URLSearchParams(given.map(([name, text]) => [name, text])).toString())
    .map((text) => (text === '' ? '' : `?${text}`))
}

function anyFields(parameters: readonly Parameter[]): Arbitrary<Record<string, string>> {
  const text = fc.stringMatching(/^[!-~][ -~]{0,20}$/)
  const fields = parameters.map(
    ({ name, example }) =>
      [name.toLowerCase(), fc.oneof(fc.constant(toText(example)), fc.constant('*'), text)] as const,
  )
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: [] }) },
  ) as Arbitrary<Record<string, string>>
}

const accepted = [
  '*/*',
  'application/json',
  'text/html',
  'text/plain',
  'text/csv',
  'application/x-ndjson',
  'application/problem+json',
  'image/png',
  'text/html;q=0.5, application/json;q=0',
  ';',
]
const anyAccept = fc.oneof(
  fc.constant({}),
  fc.constantFrom(...accepted).map((accept) => ({ accept })),
)

interface GivenContent {
  headers: Record<string, string>
  payload?: string | Buffer
}

function anyContent(content: Content): Arbitrary<GivenContent> {
  const encoded = Object.entries(content).flatMap(([type, { schema = {}, example }]) => [
    { weight: 4, arbitrary: validValue(schema).map((value) => encode(type, value, schema)) },
    { weight: 2, arbitrary: anyValue(schema).map((value) => encode(type, value, schema)) },
    { weight: 1, arbitrary: fc.constant(encode(type, example ?? {}, schema)) },
    {
      weight: 1,
      arbitrary: garbage.map((payload) => ({ headers: { 'content-type': type }, payload })),
    },
  ])
  const unusual = fc
    .constantFrom('application/xml', 'text/plain', 'application/json', 'image/png', 'nonsense')
    .chain((type) => garbage.map((payload) => ({ headers: { 'content-type': type }, payload })))
  return fc.oneof<[...{ weight: number; arbitrary: Arbitrary<GivenContent> }[]]>(
    ...encoded,
    { weight: 1, arbitrary: unusual },
    { weight: 1, arbitrary: fc.constant({ headers: {} }) },
  )
}

const garbage = fc.oneof(
  fc.string({ unit: codePoints }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
)

export function encode(type: string, value: unknown, schema: Schema): GivenContent {
  const entries = Object.entries(Object(value) as object)
  switch (type) {
    case 'multipart/form-data':
      return asMultipart(entries.map(([name, one]) => toPart(name, toText(one), schema)))
    case 'application/x-www-form-urlencoded': {
      const pairs = entries.map(([name, one]): [string, string] => [name, toText(one)])
      return { headers: { 'content-type': type }, payload: new URLSearchParams(pairs).toString() }
    }
    case 'text/plain':
      return { headers: { 'content-type': type }, payload: toText(value) }
    default:
      return { headers: { 'content-type': type }, payload: JSON.stringify(value) }
  }
}

function toText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toPart(name: string, content: string, schema: Schema) {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, object>> }
  const isFile =
    Object.hasOwn(properties, name) && JSON.stringify(properties[name]).includes('Media')
  // In a header of a part these would end it.
  return { name: name.replaceAll(/[^\w-]/g, '_'), content, ...(isFile && { fileName: 'file.bin' }) }
}
