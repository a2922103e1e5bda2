import { statSync } from 'node:fs'

// Password hashes, sessions and uploads are private to their owner. Windows has no modes.
export const fileMode = 0o600
export const folderMode = 0o700

export function findWideModes(paths: readonly string[]): string[] {
  if (process.platform === 'win32') return []
  return paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    // A folder with the sticky bit, such as /tmp, belongs to everyone.
    if (stats === undefined || (stats.mode & 0o077) === 0 || (stats.mode & 0o1000) !== 0) return []
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
    const narrow = (stats.isDirectory() ? folderMode : fileMode).toString(8)
    return [`warning: other users can read ${path} (mode ${mode}). Run: chmod ${narrow} ${path}`]
  })
}
