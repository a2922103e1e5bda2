import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { isPreflight } from '../../http/security/origins.ts'
import type { ResponseDescription, Sequence } from '../../responses/description.ts'
import { checkDescribed, invalidDescription } from '../../responses/parse-description.ts'
import { takeStep } from '../../responses/sequences.ts'
import type { Services } from '../../site/demo.ts'
import type { Bin } from './bin-store.ts'

/** As JSON. Throws 400. */
export function parseResponse(value: unknown, config: Config): string {
  const checked = checkDescribed(value, config)
  if ('value' in checked) return JSON.stringify(checked.value)
  const problems = checked.problems.map(({ field, message }) => {
    return { field: 'response', message: field === '' ? message : `at /${field} ${message}` }
  })
  throw invalidDescription(problems)
}

/** The key of the state of the sequence, which begins anew with each change of the bin. */
const toStateKey = ({ id, version }: Bin) => `bin ${id} ${String(version)}`

/** The description, or the step of the sequence that is due. */
export async function chooseResponse(
  request: FastifyRequest,
  bin: Bin,
  states: Services['states'],
): Promise<ResponseDescription> {
  // A browser accepts no other status.
  if (isPreflight(request.raw)) return { status: 204 }
  // It was parsed before it was stored.
  const described = JSON.parse(bin.response) as ResponseDescription | Sequence
  if (!('sequence' in described)) return described
  return (await takeStep(states, toStateKey(bin), described.sequence)).step ?? {}
}
