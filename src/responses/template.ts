import { Context, Drop, Liquid, LiquidError, Output, toValueSync, type Template } from 'liquidjs'
import { isObject } from '../config/is-object.ts'
import { maxRenderedBytes, maxRenderMs } from '../config/limits.ts'
import { isTemplate } from './is-template.ts'
import { findLongest, findValue } from './request-values.ts'

type Named = Readonly<Record<string, unknown>>
export type Engine = typeof plain

const withFiles = ['include', 'render', 'layout', 'block']

/** Templates run no code, and read no files and no prototypes. Its filters count what they allocate. */
function createEngine(outputEscape?: 'escape') {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    templates: {},
    parseLimit: maxRenderedBytes,
    renderLimit: maxRenderMs,
    memoryLimit: maxRenderedBytes,
    ...(outputEscape && { outputEscape }),
  })
  for (const tag of withFiles) Reflect.deleteProperty(engine.tags, tag)
  // A missing value is null, as in a member of `json`.
  engine.registerFilter('json', (value: unknown, space?: number) =>
    JSON.stringify(value ?? null, null, Math.min(space ?? 0, 10)),
  )
  return engine
}

export const plain = createEngine()
/** For HTML and XML. */
export const escaping = createEngine('escape')

/** Throws LiquidError. */
export const parseTemplate = (text: string, engine = plain): Template[] => engine.parse(text)

/** Why the text is not a valid template, or undefined. */
export function findTemplateProblem(text: string): string | undefined {
  try {
    parseTemplate(text)
    return undefined
  } catch (error) {
    if (error instanceof LiquidError) return `is not a valid template: ${toReason(error)}`
    throw error
  }
}

export const isTemplateError = (error: unknown): boolean => error instanceof LiquidError

export const toReason = ({ message }: Error): string => message.split('\n', 1)[0] ?? ''

/** Names are found as in conditions. */
class NamedContext extends Context {
  override *_getFromScope(
    ...[scope, paths, isStrict]: Parameters<Context['_getFromScope']>
  ): Generator<unknown, unknown, unknown> {
    const names = (typeof paths === 'string' ? paths.split('.') : paths).map((path) => toName(path))
    if (scope === this.environments) return findValue(this.environments, names)
    const [first = ''] = names
    const owner: unknown = isObject(scope) ? scope[first] : undefined
    if (owner instanceof Drop) return yield super._getFromScope(scope, paths, isStrict)
    return findLongest(scope, names)
  }
}

/** Drops, such as that of a loop, name nothing. */
const toName = (path: unknown) => (path instanceof Drop ? '' : String(path))

export interface Renderer {
  toText: (text: string) => string
  /** The value of a text that is one `{{ … }}`; the rendered text otherwise. */
  toValue: (text: string) => unknown
}

/** Throws LiquidError. `names` has no prototype. */
export function createRenderer(names: Named, engine: Engine, parse = parseTemplate): Renderer {
  let left = maxRenderedBytes
  const take = (text: string): string => {
    left -= text.length
    if (left < 0) throw new RangeError('the rendered texts are too long')
    return text
  }
  const toContext = () =>
    new NamedContext(names, engine.options, { sync: true }, { liquid: engine })
  const toText = (text: string): string =>
    isTemplate(text) ? take(String(engine.renderSync(parse(text, engine), toContext()))) : text
  return {
    toText,
    toValue: (text) => {
      const [only, ...others] = isTemplate(text) ? parse(text, engine) : []
      if (!(only instanceof Output) || others.length > 0) return toText(text)
      const value: unknown = toValueSync(only.value.value(toContext())) ?? null
      take(JSON.stringify(value))
      return value
    },
  }
}
