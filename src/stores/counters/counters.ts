/** As long as every window of the service, in which a client may send so and so many requests. */
export const windowSeconds = 60

/** One key's window of time: it begins with the first request, and the next one after its end. */
export interface Count {
  /** How many were counted in the window, this one included. */
  requests: number
  /** Until the window ends; more than 0. */
  msLeft: number
}

/** Counts requests by key. */
export interface Counters {
  /** Counts one more, at once where the store can. Two at the same time count as two. */
  add: (key: string) => Count | Promise<Count>
}

/** Where requests are counted: by all processes together, or, while that cannot be, by this one. */
export interface CountingPlaces {
  /** Unset where every process counts for itself. */
  shared?: Counters
  own: Counters
}
