import type { Server, ServerResponse } from 'node:http'
import { constants, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'

/**
 * Ends a connection, or a stream of HTTP/2, whose client takes nothing of its response for as long as
 * the server's `timeout`, which Node takes anew with every byte that is taken.
 */
export function endStalledConnections(server: Server): void {
  server.on('request', (_request, response: ServerResponse | Http2ServerResponse) => {
    if (response instanceof Http2ServerResponse) {
      response.setTimeout(server.timeout)
      response.on('timeout', endStream)
    } else response.on('timeout', endConnection)
  })
}

/** Also told of a client that sends nothing, or waits for a response: then nothing is to be taken. */
function endConnection(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}

function endStream(this: Http2ServerResponse): void {
  if (this.stream.writableLength > 0) this.stream.close(constants.NGHTTP2_CANCEL)
}
