import Type from 'typebox'
import { defineResource } from '../../resources/definition.ts'

export const maxPasswordBytes = 1024

export const users = defineResource({
  name: 'users',
  singular: 'user',
  title: 'Users',
  summary: 'People with a name and a password, through the seven classic routes.',
  schema: Type.Object({
    name: Type.String({ title: 'Name', minLength: 1, maxLength: 200 }),
    password: Type.Refine(
      Type.String({ title: 'Password', minLength: 1, writeOnly: true }),
      (password) => Buffer.byteLength(password) <= maxPasswordBytes,
      () => `must be at most ${String(maxPasswordBytes)} bytes long`,
    ),
  }),
})
