export interface StepSize {
  next: () => number
}

const shortMs = 10

/** The number of records of the next step: it grows while steps take a short time. */
export function createStepSize(first: number, max: number): StepSize {
  let size = first / 2
  let startedAt = -Infinity
  return {
    next: () => {
      const now = performance.now()
      const isShort = startedAt === -Infinity || now - startedAt < shortMs
      size = Math.ceil(Math.min(isShort ? size * 2 : size / 2, max))
      startedAt = now
      return size
    },
  }
}
