import { defineResource } from '../../resources/definition.ts'
import { createMap } from './map.ts'
import { createLocation } from './sample.ts'

const degrees = (title: string, limit: number, example: number) =>
  ({ type: 'number', title, minimum: -limit, maximum: limit, examples: [example] }) as const

export const locations = defineResource({
  name: 'locations',
  singular: 'location',
  title: 'Locations',
  summary:
    'Create, read, update and delete locations. A location has a name, coordinates and a note.',
  indexed: ['name', 'latitude', 'longitude'],
  createFigure: createMap,
  createSample: createLocation,
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1, maxLength: 200, examples: ['Pier'] },
      latitude: degrees('Latitude', 90, 53.5),
      longitude: degrees('Longitude', 180, -9.25),
      note: { type: 'string', title: 'Note', maxLength: 2000, examples: ['by the water'] },
    },
    dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] },
  },
})
