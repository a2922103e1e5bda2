import {
  allRecords,
  type FieldPath,
  type FieldValue,
  type Filter,
  type RecordQuery,
  type SortTerm,
} from './records.ts'
import { toTime } from './query-records.contract.ts'

/** A description of the matching records → the query. */
export const comparisons: Record<string, RecordQuery> = {
  'no condition': allRecords,
  'the newest first': toQuery([], ['-createdAt']),
  'the order of ids': toQuery([], ['_id']),
  'the reverse order of ids': toQuery([], ['-_id']),
  'the order of names': toQuery([], ['name']),
  'the reverse order of names': toQuery([], ['-name']),
  'the order of sizes': toQuery([], ['size']),
  'the reverse order of sizes': toQuery([], ['-size']),
  'the order of a field without an index': toQuery([], ['note']),
  'the order of names, then the newest': toQuery([], ['name', '-createdAt']),
  'the order of names, then the size': toQuery([], ['-name', 'size', '_id']),
  'the order of times of change': toQuery([], ['-updatedAt', 'name']),
  'a name': toQuery([['name', 'eq', 'name 3']]),
  'one of two names': toQuery([['name', 'eq', 'name 3', 'name 4', 'nobody']], ['-name']),
  'another name': toQuery([['name', 'ne', 'name 3', 'name 4']]),
  'a name and an order': toQuery([['name', 'eq', 'name 3']], ['-size', 'note']),
  'a number': toQuery([['size', 'eq', 2]]),
  'a lesser number': toQuery([['size', 'lt', 2.5]], ['name']),
  'a number that is not greater': toQuery([['size', 'lte', 2.5]]),
  'a greater number': toQuery([['size', 'gt', 2.5]], ['-size']),
  'a number that is not less': toQuery([['size', 'gte', -1]]),
  'a number between two': toQuery([
    ['size', 'gte', -1],
    ['size', 'lt', 7],
  ]),
  'a number above all others': toQuery([['size', 'gt', 1e300]]),
  'a greater name': toQuery([['name', 'gt', 'name 3']], ['_id']),
  'text somewhere': toQuery([['name', 'contains', 'NAME 3', 'me 5']]),
  'text at the beginning': toQuery([['note', 'startsWith', 'ÉCLAIR', 'b']]),
  'text at the end': toQuery([['note', 'endsWith', 'Öl']], ['name']),
  'no text anywhere': toQuery([['note', 'contains', '']]),
  'digits in a number': toQuery([['size', 'contains', '.5']]),
  'an id': toQuery([['_id', 'eq', 'thing-00007']]),
  'later ids': toQuery([['_id', 'gt', 'thing-00007']], ['name']),
  'later times': toQuery([['createdAt', 'gte', toTime(20)]]),
  'a field that no record has': toQuery([['colour', 'eq', 'red']]),
  'another value of a field that no record has': toQuery([['colour', 'ne', 'red']]),
  'the order of values of every type': toQuery([], ['any']),
  'the reverse order of values of every type': toQuery([], ['-any', 'name']),
  'a lesser number, and no other type': toQuery([['any', 'lt', 2]]),
  'a greater number, and no other type': toQuery([['any', 'gte', -1]], ['-any']),
  'a lesser text, and no other type': toQuery([['any', 'lte', '2']], ['any']),
  'a greater text, and no other type': toQuery([['any', 'gt', '']], ['-createdAt']),
  'true, and not 1': toQuery([['any', 'eq', true]], ['-createdAt']),
  'false, and not 0': toQuery([['any', 'eq', false]]),
  'less than true': toQuery([['any', 'lt', true]]),
  'false or more': toQuery([['any', 'gte', false]], ['any']),
  'no value': toQuery([['any', 'eq', null]]),
  'no value or 1': toQuery([['any', 'eq', null, 1]], ['any']),
  'a value': toQuery([['any', 'ne', null]]),
  'no less than no value': toQuery([['any', 'gte', null]]),
  'more than no value': toQuery([['any', 'gt', null]]),
  'anything but true and 1': toQuery([['any', 'ne', true, 1]]),
  // Above 2^53, the number as it is written is not always that of its value.
  'a large number': toQuery([['any', 'eq', 2 ** 60]]),
  'a larger number': toQuery([['any', 'gt', 2 ** 60]], ['any']),
  'digits of a large number': toQuery([['any', 'contains', '50751']]),
  'true as it is written': toQuery([['any', 'contains', 'RU']]),
  'the beginning of a list': toQuery([['any', 'startsWith', '[']]),
  'a text in a list': toListQuery(['a', 'none']),
  'a text in a list, or part of a text': toListQuery(['b'], ['A']),
  'a number in a list': toListQuery([1, 1.5]),
  'true in a list, and not 1': toListQuery([true]),
  'false in a list': toListQuery([false]),
  'null in a list': toListQuery([null]),
  'what cannot be stored in a list': toListQuery(['a\0']),
  'a nested text': toQuery([[['in', 'deep'], 'eq', 'Deep 2']]),
  'a greater nested text': toQuery([[['in', 'deep'], 'gt', 'deep 2']], ['-size']),
  'part of a nested text': toQuery([[['in', 'deep'], 'endsWith', 'P 1']]),
  'an object': toQuery([['in', 'ne', null]]),
  'a field of a text': toQuery([[['name', 'deep'], 'ne', null]]),
  'an entry of a list': toQuery([[['any', '0'], 'ne', null]]),
  'the order of a nested field': {
    filters: [],
    sort: [{ field: ['in', 'deep'], isDescending: true }],
  },
  'text in a nested field': { ...allRecords, search: { text: 'EP 1', fields: [['in', 'deep']] } },
  'one name in the order of times': toQuery([['name', 'eq', 'name 4']], ['-createdAt']),
  'greater names in their order': toQuery([['name', 'gt', 'name 4']], ['name']),
  'greater names in the reverse order': toQuery([['name', 'gt', 'name 4']], ['-name']),
  'lesser names in the reverse order': toQuery([['name', 'lt', 'name 4']], ['-name']),
  'text in one of the fields': { ...allRecords, search: { text: 'ÖL', fields: ['name', 'note'] } },
  'text in no field': { ...allRecords, search: { text: 'zzz', fields: ['name', 'note', 'size'] } },
}

export function toQuery(
  filters: readonly [FieldPath, Filter['operator'], ...FieldValue[]][],
  sort: readonly string[] = [],
): RecordQuery {
  return {
    filters: filters.map(([field, operator, ...values]) => ({ field, operator, values })),
    sort: sort.map(toSortTerm),
  }
}

function toListQuery(
  elements: readonly FieldValue[],
  values: readonly FieldValue[] = [],
): RecordQuery {
  const inside = { field: ['list'], operator: 'contains', values, elements } as const
  return { ...toQuery([], ['-name']), filters: [inside] }
}

function toSortTerm(text: string): SortTerm {
  return { field: text.replace(/^-/, ''), isDescending: text.startsWith('-') }
}
