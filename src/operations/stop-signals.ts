import { readFileSync } from 'node:fs'

const ignore = (): void => undefined

/**
 * GNU nohup replaces a terminal as standard input by `/dev/null`, opened for writing only. Node itself
 * resets an ignored SIGHUP at its start, so that the process cannot ask for it.
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
  const hasNohup = isUnderNohup()
  if (hasNohup) process.on('SIGHUP', ignore)
  const signals = ['SIGTERM', 'SIGINT', ...(hasNohup ? [] : ['SIGHUP'])]
  const remove = () => {
    for (const signal of signals) process.off(signal, run)
  }
  const run = () => {
    remove()
    stop()
  }
  for (const signal of signals) process.on(signal, run)
  return remove
}

/** A terminal sends its signals to the workers too; they wait for SIGTERM from the supervisor. */
export function onSupervisorSignal(stop: () => void): void {
  process.once('SIGTERM', stop).on('SIGINT', ignore).on('SIGHUP', ignore)
}
