import type { TLocalizedValidationError } from 'typebox/error'
import { formatNumber } from '../../config/format-count.ts'
import type { FieldProblem } from '../errors/http-error.ts'
import { parsePointer } from './patch.ts'

export function toFieldProblems(error: TLocalizedValidationError): FieldProblem[] {
  const [, ...parents] = parsePointer(error.instancePath)
  return findMissing(error).map(([name, message]) => {
    const [field = '', ...inside] = [...parents, ...name]
    return { field, inside, message }
  })
}

type Reason = readonly [name: readonly string[], reason: string]

function findMissing(error: TLocalizedValidationError): Reason[] {
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => [[name], 'is required'])
    case 'dependentRequired': {
      const reason = `is required with ${error.params.property}`
      return error.params.dependencies.map((name) => [[name], reason])
    }
    default:
      return [[[], toMessage(error)]]
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const formatMessages: Readonly<Record<string, string>> = {
  date: 'a date like 2026-11-21',
  'date-time': 'a time like 2026-11-21T08:00:00Z',
  email: 'an email address',
  uri: 'a URL like https://example.org/',
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const formatLimit = (limit: number | bigint) => formatNumber(Number(limit))

export function toMessage({ keyword, params, message }: TLocalizedValidationError): string {
  switch (keyword) {
    case 'minLength':
    case 'maxLength':
    case 'minimum':
    case 'maximum': {
      if (keyword === 'minLength' && params.limit === 1) return 'must not be empty'
      const limit = `${keyword.startsWith('min') ? 'least' : 'most'} ${formatLimit(params.limit)}`
      return `must be at ${limit}${keyword.endsWith('Length') ? ' characters long' : ''}`
    }
    case 'exclusiveMinimum':
      return `must be greater than ${formatLimit(params.limit)}`
    case 'exclusiveMaximum':
      return `must be less than ${formatLimit(params.limit)}`
    case 'minItems':
    case 'maxItems': {
      const limit = `${keyword === 'minItems' ? 'least' : 'most'} ${formatLimit(params.limit)}`
      return `must have at ${limit} item${params.limit === 1 ? '' : 's'}`
    }
    case 'type': {
      const names = [params.type].flat().flatMap((type) => typeNames[type] ?? [])
      return names.length === 0 ? message : `must be ${names.join(' or ')}`
    }
    case 'enum':
      return `must be one of ${params.allowedValues.map(toText).join(', ')}`
    case 'format':
      return `must be ${formatMessages[params.format] ?? `of the format ${params.format}`}`
    case 'boolean':
      return 'is not allowed'
    default:
      return message
  }
}
