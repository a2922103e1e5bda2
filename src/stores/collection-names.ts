/** Databases and archives have these names. A name of a resource has no `~`, so it is never one of these. */
export const collectionNames = {
  orphanedFiles: '~leftovers',
  sessions: '~sessions',
  idempotencyEntries: '~answers',
  states: '~states',
  dataFile: '~data-file',
  learnedFields: '~learned-fields',
  snapshots: '~snapshots',
  snapshotRecords: '~snapshot-records',
  blockList: '~block-list',
  dailyReset: '~daily-reset',
  sandboxes: '~sandboxes',
  /** Of the sandboxes of client addresses. */
  addressSecret: '~address-secret',
  endedSandboxes: '~ended-sandboxes',
  /** Counts of all of them: there are no records with this name. */
  sandboxRecords: '~sandbox-records',
} as const

/** What its records are: `~bin-requests` → `bin requests`. Names of a data file have no `~`. */
export function toKind(name: string): string {
  if (name === collectionNames.idempotencyEntries) return 'idempotency keys'
  return name.startsWith('~') ? name.slice(1).replace('-', ' ') : name
}
