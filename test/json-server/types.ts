export type Version = '0.17' | '1'

export interface SentRequest {
  method: string
  target: string
  type?: string
  /** `@1` stands for the id of the first record that the sequence creates. */
  body?: string
}

export interface Comparable {
  status: number
  type: string
  location: string
  link: string
  total: string
  body: unknown
}
