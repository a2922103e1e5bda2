export const windowSeconds = 60

export interface Count {
  requests: number
  msLeft: number
}

export interface Counters {
  add: (key: string) => Count | Promise<Count>
}

export interface CountingPlaces {
  shared: Counters | undefined
  own: Counters
}
