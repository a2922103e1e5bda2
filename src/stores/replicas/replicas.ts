/** Calls `respond` for the questions of other processes. Its result, or the promise of it, becomes JSON. */
export type OpenReplicas = (topic: string, respond: (question: string) => unknown) => Replicas

export interface Replicas {
  /** Undefined if they cannot be asked. Never rejects, and never takes more than two seconds. */
  ask: (question: string) => Promise<ReplicaResponses | undefined>
  close: () => void
}

export interface ReplicaResponses {
  values: readonly unknown[]
  silent: number
}
