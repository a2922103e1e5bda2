import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const responses = new WeakMap<IncomingMessage, ServerResponse>()

export function delayContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    responses.set(request, response)
    server.emit('request', request, response)
  })
}

export function awaitsContinue(raw: IncomingMessage): boolean {
  return responses.has(raw)
}

export function sendContinue(raw: IncomingMessage): void {
  responses.get(raw)?.writeContinue()
  responses.delete(raw)
}
