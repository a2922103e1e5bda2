/** So often the event loop is asked whether it is on time. */
const everyMs = 20

export interface EventLoopMonitor {
  /** Whether what is asked for now would be done too late. */
  isLate: () => boolean
  close: () => void
}

/**
 * Watches by how much the event loop lags, which is how long everything that is asked for has to
 * wait. Not `monitorEventLoopDelay`: its percentiles are of the past, and would refuse requests long
 * after a single spike.
 */
export function watchEventLoop(maxDelayMs: number): EventLoopMonitor {
  let dueAt = performance.now() + everyMs
  let wasLate = false
  const timer = setInterval(() => {
    const now = performance.now()
    wasLate = now - dueAt > maxDelayMs
    dueAt = now + everyMs
  }, everyMs).unref()
  return {
    // What is overdue is late already: many requests may come before the timer has its turn.
    isLate: () => wasLate || performance.now() - dueAt > maxDelayMs,
    close: () => {
      clearInterval(timer)
    },
  }
}
