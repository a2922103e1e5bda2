import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Of the requests whose clients wait for 100 (Continue) before they send their bodies. */
const responses = new WeakMap<IncomingMessage, ServerResponse>()

/** Keeps Node from sending 100 before anything about the request has been checked. */
export function delayContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    responses.set(request, response)
    server.emit('request', request, response)
  })
}

/** Whether the client still waits for 100, and sends no body before it or without it. */
export function awaitsContinue(raw: IncomingMessage): boolean {
  return responses.has(raw)
}

/** Sends 100 to a client that waits for it: its body is going to be read (RFC 9110 §10.1.1). */
export function sendContinue(raw: IncomingMessage): void {
  responses.get(raw)?.writeContinue()
  responses.delete(raw)
}
