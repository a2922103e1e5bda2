import * as promises from 'node:timers/promises'

/**
 * The timers of the moment at which this module is loaded. Other modules use these: a test that replaces the
 * global ones for a moment would otherwise stop a service in its process for ever.
 */
export const {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  queueMicrotask,
} = globalThis

/** They resolve after so many milliseconds, and in the next turn of the event loop. */
export const { setTimeout: delay, setImmediate: nextTurn } = promises

// A mock replaces the method of the object.
export const performance = { now: globalThis.performance.now.bind(globalThis.performance) }

export const timeoutSignal = AbortSignal.timeout.bind(AbortSignal)
