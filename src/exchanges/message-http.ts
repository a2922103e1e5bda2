import type { FastifyReply } from 'fastify'
import { text } from '../http/openapi/content.ts'
import type { Exchange, ExchangeBody, Fields } from './exchange.ts'

export const messageType = 'message/http'
export const messageContent = { [messageType]: { schema: text } }

export function sendMessages(reply: FastifyReply, exchange: Exchange): FastifyReply {
  return reply.type(messageType).send(toMessages(exchange))
}

export function toHeadText(line: string, fields: Fields): string {
  return [line, ...fields.map(([name, value]) => `${name}: ${value}`), ''].join('\n')
}

/** Both messages, one after the other (RFC 9112 §10.1), without transfer and content codings. */
function toMessages(exchange: Exchange): Buffer {
  const toMessage = (head: string, body: ExchangeBody | undefined) => [
    Buffer.from(`${head.trimEnd()}\n\n`.replaceAll('\n', '\r\n')),
    toBytes(body),
  ]
  return Buffer.concat([
    ...toMessage(exchange.requestHead, exchange.requestBody),
    ...toMessage(exchange.responseHead, exchange.responseBody),
  ])
}

export function toBytes({ text, hex = '' }: Partial<ExchangeBody> = {}): Buffer {
  return text === undefined ? Buffer.from(hex, 'hex') : Buffer.from(text)
}
