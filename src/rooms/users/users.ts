import Type from 'typebox'
import { defineResource } from '../../resources/definition.ts'

export const maxPasswordBytes = 1024

export const users = defineResource({
  name: 'users',
  singular: 'user',
  title: 'Users',
  summary: 'People with a name and a password, through the seven classic routes.',
  indexed: ['name'],
  schema: Type.Object({
    name: Type.String({ title: 'Name', minLength: 1, maxLength: 200, examples: ['Ann'] }),
    password: Type.Refine(
      Type.String({
        title: 'Password',
        description: `1 to ${maxPasswordBytes.toLocaleString('en')} bytes`,
        minLength: 1,
        writeOnly: true,
        examples: ['correct horse'],
      }),
      (password) => Buffer.byteLength(password) <= maxPasswordBytes,
      () => `must be at most ${String(maxPasswordBytes)} bytes long`,
    ),
  }),
})
