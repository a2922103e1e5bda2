export const windowSeconds = 60

export interface Count {
  /** Includes this request. */
  requests: number
  /** Until the window ends; more than 0. */
  msLeft: number
}

export interface Counters {
  add: (key: string) => Count | Promise<Count>
}

export interface CountingPlaces {
  /** Unset where every process counts for itself. */
  shared: Counters | undefined
  own: Counters
}
