import { hash, randomInt, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import type { Template } from 'liquidjs'
import { isObject } from '../config/is-object.ts'
import { maxRenderMs } from '../config/limits.ts'
import { explainProblem, HttpError, type FieldProblem } from '../http/errors/http-error.ts'
import { runWithin } from '../http/run-within.ts'
import { findConflicts, type DescriptionLimits } from './description-limits.ts'
import type { Description } from './description.ts'
import { listScriptTexts } from './script.ts'
import type { RequestValues } from './request-values.ts'
import { toFraction } from './to-fraction.ts'
import { isTemplate } from './is-template.ts'
import type { Engine } from './template.ts'

const require = createRequire(import.meta.url)
/** On first use: the engine takes 6 MB, and most services have no templates. */
const loadEngine = () =>
  require(`./template${extname(import.meta.filename)}`) as typeof import('./template.ts')

/** The members whose texts can be templates. */
const rendered = ['type', 'headers', 'cookies', 'trailers', 'early_hints', 'interim'] as const

export interface RenderSource {
  /** `The stub GET /x`, for an error. */
  owner: string
  limits: DescriptionLimits
  loadValues: () => Promise<RequestValues>
  /** The number of the request, which is stored. */
  countRequest: () => Promise<number>
  /** The records of a resource, or undefined. */
  loadData?: ((name: string) => Promise<unknown>) | undefined
  /** A text that is the same for the same request at each start. */
  toSeed: () => string | Promise<string>
}

/** Which of the names, that cost something, its templates use. */
export function findUses(description: Description) {
  const texts = listTexts([
    ...rendered.map((name) => description[name]),
    description.body,
    description.json,
    listScriptTexts(description),
  ])
  const all = texts.filter(isTemplate).join('\n')
  const data = all.matchAll(/\bdata\s*(?:\.\s*([\w-]+)|\[\s*["']([^"']+)["'])/g)
  const names = new Set([...data].map(([, one, other]) => one ?? other ?? ''))
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(all)
  return {
    isTemplate: all !== '',
    isNumbered: uses('number'),
    isSeeded: uses('seeded'),
    data: [...names],
  }
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

export function findTemplateProblems(description: Description): FieldProblem[] {
  const find = (value: unknown, [field = '', ...inside]: readonly string[]): FieldProblem[] => {
    if (typeof value === 'string') {
      const message = isTemplate(value) ? loadEngine().findTemplateProblem(value) : undefined
      return message === undefined ? [] : [{ field, inside, message }]
    }
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([name, each]) => find(each, [field, ...inside, name]))
  }
  const names = [...rendered, 'body', 'json'] as const
  return [
    ...names.flatMap((name) => find(description[name], [name])),
    ...find(listScriptTexts(description), ['websocket']),
  ]
}

/** Throws 500 that names the owner if the result breaks a limit, or rendering takes too long. */
export async function renderDescription(
  description: Description,
  source: RenderSource,
): Promise<Description> {
  const uses = findUses(description)
  if (!uses.isTemplate) return description
  const names = await loadNames(uses, source)
  const result = runRender(source, () => renderMembers(description, names))
  const [problem] = findConflicts(result, source.limits)
  if (problem) throw failure(source, explainProblem(problem))
  return result
}

/** They have no prototype. */
export async function loadNames(
  uses: ReturnType<typeof findUses>,
  { loadValues, loadData, countRequest, toSeed }: RenderSource,
): Promise<RequestValues> {
  const values = await loadValues()
  const number = uses.isNumbered ? await countRequest() : undefined
  const records = uses.data.map(async (name) => [name, await loadData?.(name)] as const)
  const data = { __proto__: null, ...Object.fromEntries(await Promise.all(records)) }
  const generated = toGenerated(uses.isSeeded ? await toSeed() : '')
  return addNames(values, { number, data, ...generated })
}

/** The values of getters are not computed. */
export function addNames(names: RequestValues, more: object): RequestValues {
  return Object.create(null, {
    ...Object.getOwnPropertyDescriptors(names),
    ...Object.getOwnPropertyDescriptors(more),
  }) as RequestValues
}

function runRender<Result>(source: RenderSource, render: () => Result): Result {
  try {
    const run = runWithin(maxRenderMs, () => ({ result: render() }))
    if (run) return run.result
  } catch (error) {
    const { isTemplateError, toReason } = loadEngine()
    if (!(error instanceof RangeError || isTemplateError(error))) throw error
    throw failure(source, toReason(error as Error))
  }
  throw failure(source, `rendering takes more than ${String(maxRenderMs)} ms`)
}

function failure({ owner }: RenderSource, reason: string): HttpError {
  return new HttpError('internal-error', `${owner} could not be rendered: ${reason}.`)
}

function toGenerated(seed: string) {
  let count = 0
  const next = () => `${seed} ${String((count += 1))}`
  return {
    now: new Date().toISOString(),
    random: { uuid: () => randomUUID(), integer: () => randomInt(2 ** 31) },
    seeded: {
      uuid: () => toUuid(hash('sha256', next())),
      integer: () => Math.floor(toFraction(next()) * 2 ** 31),
    },
  }
}

/** RFC 9562 §5.4: version 4, from a hash in hexadecimal digits. */
function toUuid(digits: string): string {
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`]
  return [...parts, `a${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-')
}

function renderMembers(description: Description, names: RequestValues): Description {
  const { createRenderer, escaping, plain } = loadEngine()
  const parse = toParser(description)
  const { toText, toValue } = createRenderer(names, plain, parse)
  const entries = rendered.flatMap((name) =>
    name in description ? [[name, mapTexts(description[name], toText)] as const] : [],
  )
  const head: Description = { ...description, ...Object.fromEntries(entries) }
  if (head.json !== undefined) return { ...head, json: mapTexts(head.json, toValue) }
  const { body } = head
  if (body === undefined) return head
  const engine = isMarkup(head) ? escaping : plain
  return { ...head, body: createRenderer(names, engine, parse).toText(body) }
}

function isMarkup({ type, headers = {} }: Description): boolean {
  const ofHeaders = Object.entries(headers).filter(([name]) => /^content-type$/i.test(name))
  return /html|xml/i.test([type, ...ofHeaders.map(([, value]) => value)].join())
}

function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]),
  )
}

/** Renders a text, or the texts of a JSON value. Throws as `renderDescription` does. */
export function createValueRenderer(description: Description, source: RenderSource) {
  const { createRenderer, plain } = loadEngine()
  const parse = toParser(description)
  return (value: unknown, names: RequestValues): unknown =>
    runRender(source, () => {
      const { toText, toValue } = createRenderer(names, plain, parse)
      return typeof value === 'string' ? toText(value) : mapTexts(value, toValue)
    })
}

const parsed = new WeakMap<Description, Map<Engine, Map<string, Template[]>>>()

/** Parses each text of a description once. */
function toParser(description: Description) {
  const engines = parsed.get(description) ?? new Map<Engine, Map<string, Template[]>>()
  parsed.set(description, engines)
  const { parseTemplate, plain } = loadEngine()
  return (text: string, engine: Engine = plain): Template[] => {
    const known = engines.get(engine) ?? new Map<string, Template[]>()
    engines.set(engine, known)
    const templates = known.get(text) ?? parseTemplate(text, engine)
    known.set(text, templates)
    return templates
  }
}
