export const windowSeconds = 60

export interface Count {
  requests: number
  leftMs: number
}

export interface Counters {
  add: (key: string) => Count | Promise<Count>
}

export interface CounterSet {
  shared: Counters | undefined
  own: Counters
}
