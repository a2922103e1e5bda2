import { defineResource } from '../../resources/definition.ts'
import { createMap } from './map.ts'

export const locations = defineResource({
  name: 'locations',
  singular: 'location',
  title: 'Locations',
  summary:
    'Create, read, update and delete locations. A location has a name, coordinates and a note.',
  indexed: ['name', 'latitude', 'longitude'],
  createFigure: createMap,
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1, maxLength: 200, examples: ['Pier'] },
      latitude: { type: 'number', title: 'Latitude', minimum: -90, maximum: 90, examples: [53.5] },
      longitude: {
        type: 'number',
        title: 'Longitude',
        minimum: -180,
        maximum: 180,
        examples: [-9.25],
      },
      note: { type: 'string', title: 'Note', maxLength: 2000, examples: ['by the water'] },
    },
    dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] },
  },
})
