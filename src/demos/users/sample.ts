import { choose, createGenerator, samplePassword } from '../../resources/samples.ts'
import words from './sample-words.json' with { type: 'json' }

export function createUser(number: number) {
  const next = createGenerator(number + 0x5eed)
  const name = `${choose(words.firstNames, next)} ${choose(words.lastNames, next)}`
  return { name, password: samplePassword }
}
