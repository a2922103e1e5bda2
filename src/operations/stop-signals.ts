import { readFileSync } from 'node:fs'

const ignore = (): void => undefined

/**
 * Node resets an ignored SIGHUP before any script runs, so that nohup is recognized by another effect: that of
 * GNU replaces a terminal as standard input by `/dev/null`, opened for writing only.
 */
function isUnderNohup(): boolean {
  try {
    return /^flags:.*[15]$/m.test(readFileSync('/proc/self/fdinfo/0', 'utf8'))
  } catch {
    return false
  }
}

/** Calls back once; another signal then ends the process. Returns a function that stops waiting. */
export function onStopSignal(stop: () => void): () => void {
  const remove = () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.off(signal, run)
  }
  const run = () => {
    remove()
    stop()
  }
  process
    .on('SIGTERM', run)
    .on('SIGINT', run)
    .on('SIGHUP', isUnderNohup() ? ignore : run)
  return remove
}
