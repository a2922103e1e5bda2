/** The stored names of the collections that are not resources. No resource name has a `~`. */
export const collectionNames = {
  uploads: 'uploads',
  orphanedFiles: '~leftovers',
  sessions: '~sessions',
  idempotencyEntries: '~answers',
} as const
