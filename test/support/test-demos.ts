import { defineResource } from '../../src/resources/definition.ts'
import { type FieldSchema } from '../../src/http/openapi/json-schema.ts'
import { toResourceDemo } from '../../src/resources/routes.ts'
import type { Demo } from '../../src/site/demo.ts'
import { mirror } from './mirror.ts'

const name: FieldSchema = {
  type: 'string',
  title: 'Name',
  minLength: 1,
  maxLength: 200,
  examples: ['Ann'],
}

const degrees = (title: string, limit: number, example: number) =>
  ({ type: 'number', title, minimum: -limit, maximum: limit, examples: [example] }) as const

export const people = defineResource({
  name: 'people',
  singular: 'person',
  title: 'People',
  summary: 'A resource with a password.',
  indexed: ['name'],
  maxBytes: { password: 1024 },
  schema: {
    type: 'object',
    required: ['name', 'password'],
    properties: {
      name,
      password: {
        type: 'string',
        title: 'Password',
        description: '1 to 1,024 bytes',
        minLength: 1,
        writeOnly: true,
        examples: ['correct horse'],
      },
    },
  },
})

export const places = defineResource({
  name: 'places',
  singular: 'place',
  title: 'Places',
  summary: 'A resource with numbers, of which each requires the other.',
  indexed: ['name', 'latitude', 'longitude'],
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name,
      latitude: degrees('Latitude', 90, 53.5),
      longitude: degrees('Longitude', 180, -9.25),
      note: { type: 'string', title: 'Note', maxLength: 2000, examples: ['by the water'] },
    },
    dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] },
  },
})

/** The demos of the general tests, so that they need no demo of the catalogue. */
export const testDemos: readonly Demo[] = [mirror, toResourceDemo(people), toResourceDemo(places)]
