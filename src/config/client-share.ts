import type { Config } from './config.ts'

/**
 * What one client may have of a limit of all sandboxes: the part that MAX_SANDBOXES_PER_CLIENT is of MAX_SANDBOXES.
 * Otherwise a single client could use up what is for all.
 */
export function toClientShare(
  limit: number,
  { maxSandboxes, maxSandboxesPerClient }: Pick<Config, 'maxSandboxes' | 'maxSandboxesPerClient'>,
): number {
  if (maxSandboxes === undefined || maxSandboxesPerClient === undefined) return limit
  return Math.min(Math.ceil((limit * maxSandboxesPerClient) / maxSandboxes), limit)
}
