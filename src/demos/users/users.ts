import { defineResource } from '../../resources/definition.ts'
import { choose, createGenerator, samplePassword } from '../../resources/samples.ts'
import words from './sample-words.json' with { type: 'json' }

export const users = defineResource({
  name: 'users',
  singular: 'user',
  title: 'Users',
  summary: 'Create, read, update and delete users. A user has a name and a password.',
  indexed: ['name'],
  createSample: createUser,
  maxBytes: { password: 1024 },
  schema: {
    type: 'object',
    required: ['name', 'password'],
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1, maxLength: 200, examples: ['Ann'] },
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

function createUser(number: number) {
  const next = createGenerator(number + 0x5eed)
  const name = `${choose(words.firstNames, next)} ${choose(words.lastNames, next)}`
  return { name, password: samplePassword }
}
