/** As they are stored. No resource name has a `~`. */
export const collectionNames = {
  orphanedFiles: '~leftovers',
  sessions: '~sessions',
  idempotencyEntries: '~answers',
} as const
