import type { FastifyInstance } from 'fastify'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config/config.ts'
import type { OpenReplicas, Replicas, ReplicaResponses } from '../../stores/replicas/replicas.ts'

export interface Coverage {
  /** `service` if all processes were asked, `replica` if only those of this replica. */
  scope: 'service' | 'replica'
  silent: number
}

export type AskOthers = (question: string) => Promise<ReplicaResponses & Coverage>

interface Others {
  config: Pick<Config, 'databaseUrl' | 'inspector' | 'redisUrl'>
  openReplicas: OpenReplicas | undefined
  respond: (question: string) => unknown
}

/** All processes through Redis. Without it, or while it fails, no other. */
export function openOthers(app: FastifyInstance, others: Others): AskOthers {
  const { config, openReplicas, respond } = others
  const { databaseUrl, inspector, redisUrl } = config
  // Processes of another version, or with other exchanges for the same visitor, do not respond.
  const topic = `exchanges:${packageJson.version}:${inspector}`
  let replicas: Replicas | undefined
  app.addHook('onReady', async () => {
    if (inspector !== 'off') replicas = openReplicas?.(topic, respond)
  })
  app.addHook('onClose', async () => replicas?.close())
  // Processes that are started separately with one SQLite file do not know of each other.
  const isAlone = redisUrl === undefined && databaseUrl.startsWith('sqlite:')
  return async (question) => {
    const found = await replicas?.ask(question)
    if (found !== undefined) return { ...found, scope: 'service' }
    const scope = isAlone || inspector === 'off' ? 'service' : 'replica'
    return { values: [], silent: 0, scope }
  }
}

export function toNotice({ scope, silent }: Coverage): string {
  if (scope === 'replica')
    return 'Only the requests that this replica of the service received are available.'
  if (silent === 0) return ''
  return silent === 1
    ? '1 process of the service did not respond in time, so its requests are missing.'
    : `${String(silent)} processes of the service did not respond in time, so their requests are missing.`
}
