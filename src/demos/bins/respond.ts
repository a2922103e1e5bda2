import type { FastifyReply } from 'fastify'
import type { Config } from '../../config/config.ts'
import { isPreflight } from '../../http/security/origins.ts'
import type { ResponseDescription, Sequence } from '../../responses/description.ts'
import { parseDescribed } from '../../responses/parse-description.ts'
import { sendDescribed } from '../../responses/send.ts'
import { takeStep } from '../../responses/sequences.ts'
import type { Services } from '../../site/demo.ts'
import type { Bin } from './bin-store.ts'

/** As JSON. Throws 400. */
export function parseResponse(value: unknown, config: Config): string {
  return JSON.stringify(parseDescribed(value, config))
}

/** The key of the state of the sequence, which begins anew with each change of the bin. */
const toStateKey = ({ id, version }: Bin) => `bin ${id} ${String(version)}`

export async function sendBinResponse(
  reply: FastifyReply,
  bin: Bin,
  { config, states }: Pick<Services, 'config' | 'states'>,
) {
  const options = { config, cookiePath: `/b/${bin.id}` }
  // A browser accepts no other status.
  if (isPreflight(reply.request.raw)) return sendDescribed(reply, { status: 204 }, options)
  // It was parsed before it was stored.
  const described = JSON.parse(bin.response) as ResponseDescription | Sequence
  if (!('sequence' in described)) return sendDescribed(reply, described, options)
  const { step = {} } = await takeStep(states, toStateKey(bin), described.sequence)
  return sendDescribed(reply, step, options)
}
