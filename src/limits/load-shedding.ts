const intervalMs = 20

/** `monitorEventLoopDelay` would reject requests long after a single spike. */
export function watchEventLoop(maxDelayMs: number) {
  let dueAt = performance.now() + intervalMs
  let wasLate = false
  const timer = setInterval(() => {
    const now = performance.now()
    wasLate = now - dueAt > maxDelayMs
    dueAt = now + intervalMs
  }, intervalMs).unref()
  return {
    // Many requests may arrive before an overdue timer runs.
    isLate: () => wasLate || performance.now() - dueAt > maxDelayMs,
    close: () => {
      clearInterval(timer)
    },
  }
}
