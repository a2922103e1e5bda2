/** The stored names. No resource name has a `~`, so none is equal. */
export const collectionNames = {
  orphanedFiles: '~leftovers',
  sessions: '~sessions',
  idempotencyEntries: '~answers',
  states: '~states',
  dataFile: '~data-file',
  snapshots: '~snapshots',
} as const
