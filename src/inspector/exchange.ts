import type { Negotiation } from '../http/negotiation/negotiate.ts'

export type Fields = readonly (readonly [name: string, value: string])[]

export function findField(fields: Fields, name: string): string | undefined {
  return fields.find(([given]) => given.toLowerCase() === name)?.[1]
}

/** What lists and events have of an exchange, with secrets masked. */
export interface ExchangeSummary {
  /** Random. */
  id: string
  requestId: string
  /** RFC 3339, with microseconds, so that texts sort by time. */
  receivedAt: string
  /** The address of the client, which a trusted proxy may have sent. */
  client: string
  /** Whether it belongs to the session, or to the `X-Inspector`, of the viewer. */
  isOwn: boolean
  method: string
  effectiveMethod: string
  target: string
  /** Undefined if the connection was lost before the response. */
  status?: number | undefined
  /** From the head of the request to the end of the response. */
  ms: number
  /** Whether the connection was lost before the end of the response. */
  isCutOff: boolean
  demo?: string | undefined
  /** Such as `/users/:id`. */
  route?: string | undefined
  /** Of a redirect. */
  location?: string | undefined
  isPreflight?: boolean | undefined
}

/** A request and its response, with secrets masked. */
export interface Exchange extends ExchangeSummary {
  origin: string
  httpVersion: string
  /** The version and the cipher. */
  tls?: string | undefined
  /** The id is random. The remote address includes the port. */
  connection: { id: string; requestsBefore?: number; remoteAddress: string }
  requestFields: Fields
  requestHead: string
  requestBody?: ExchangeBody | undefined
  responseFields: Fields
  responseHead: string
  responseBody?: ExchangeBody | undefined
  times: ExchangeTimes
  negotiation?: Negotiation | undefined
  preconditions?: ComparedPreconditions | undefined
  rateLimit?: RateLimitDecision | undefined
  /** Of a 103 before the response. `responseHead` begins with it. */
  earlyHintFields?: Fields | undefined
  trailerFields?: Fields | undefined
  /** Under `/responses`, what the request asked for. */
  fault?: string | undefined
  /** The number of the step of a sequence, from 1. */
  step?: number | undefined
}

/** The first 64 KiB of a body, without its content coding: as text if it is UTF-8, else in hexadecimal notation. */
export interface ExchangeBody {
  /** Of the whole body as it was sent, in bytes. */
  size: number
  /** Whether there is more than `text` or `hex` has. */
  isCut: boolean
  text?: string
  hex?: string
}

/** In milliseconds from the head of the request. */
export interface ExchangeTimes {
  /** The whole body has been received. */
  body?: number | undefined
  handlerBegin?: number | undefined
  handlerEnd?: number | undefined
  firstByte?: number | undefined
  end: number
}

/** The validators with which the conditions of the request were compared. */
export interface ComparedPreconditions {
  etags: readonly string[]
  lastModified?: string | undefined
  outcome: 'proceed' | 'not modified' | 'failed'
}

export interface RateLimitDecision {
  /** The values of RateLimit-Policy and RateLimit. */
  policy: string
  state: string
  isExceeded: boolean
}
