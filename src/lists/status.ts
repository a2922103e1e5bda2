import type { Filter } from '../stores/records/records.ts'
import { badParameter } from './parameters.ts'

export const statusPattern = '^[1-5](xx|\\d\\d)$'

export function parseStatusFilters(text: string): Filter[] {
  if (text === '') return []
  const status = text.toLowerCase()
  if (!new RegExp(statusPattern).test(status))
    throw badParameter('status', 'must be a status code or a class such as 2xx')
  const first = Number(status.replace('xx', '00'))
  const end = status.endsWith('xx') ? first + 100 : first + 1
  return [
    { field: 'status', operator: 'gte', values: [first] },
    { field: 'status', operator: 'lt', values: [end] },
  ]
}
