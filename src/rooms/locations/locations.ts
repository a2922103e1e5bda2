import Type from 'typebox'
import { defineResource } from '../../resources/definition.ts'

export const locations = defineResource({
  name: 'locations',
  singular: 'location',
  title: 'Locations',
  summary: 'Places with a name, coordinates and a note, through the same seven routes.',
  indexed: ['name', 'latitude', 'longitude'],
  schema: Type.Object(
    {
      name: Type.String({ title: 'Name', minLength: 1, maxLength: 200, examples: ['Pier'] }),
      latitude: Type.Optional(
        Type.Number({ title: 'Latitude', minimum: -90, maximum: 90, examples: [53.5] }),
      ),
      longitude: Type.Optional(
        Type.Number({ title: 'Longitude', minimum: -180, maximum: 180, examples: [-9.25] }),
      ),
      note: Type.Optional(
        Type.String({ title: 'Note', maxLength: 2000, examples: ['by the water'] }),
      ),
    },
    { dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] } },
  ),
})
