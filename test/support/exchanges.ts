import type { Exchange, ExchangeBody } from '../../src/exchanges/exchange.ts'

export function textBody(text: string): ExchangeBody {
  return { size: Buffer.byteLength(text), isCut: false, text }
}

/** A recorded exchange: `GET /api/json`, unless `parts` has something else. */
export function exchange(parts: Partial<Exchange> = {}): Exchange {
  const { method = 'GET', target = '/api/json', status = 200 } = parts
  return {
    id: '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e',
    requestId: '',
    client: '127.0.0.1',
    receivedAt: '2026-11-21T08:20:41.509000Z',
    isOwn: false,
    isCutOff: false,
    ms: 5,
    method,
    effectiveMethod: method,
    target,
    status,
    origin: 'http://localhost:3000',
    httpVersion: '1.1',
    connection: { id: 'c1', requestsBefore: 0, remoteAddress: '127.0.0.1:49152' },
    times: { body: 1, handlerBegin: 2, handlerEnd: 3, firstByte: 4, end: 5 },
    requestFields: [['Host', 'localhost:3000']],
    requestHead: `${method} ${target} HTTP/1.1\nHost: localhost:3000\n`,
    responseFields: [['content-type', 'application/json']],
    responseHead: `HTTP/1.1 ${String(status)} OK\ncontent-type: application/json\n`,
    ...parts,
  }
}
