import type { Server, ServerResponse } from 'node:http'
import { constants, Http2ServerResponse, type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'

/** `_httpMessage` is Node's name for the response that is being sent. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null }

/** Node's timeout also covers the first head, which has HEADERS_SECONDS: that connection stays. */
export function endStalledConnections(server: Server): void {
  const used = new WeakSet<Socket>()
  server.on('request', ({ socket }, response: ServerResponse | Http2ServerResponse) => {
    if (response instanceof Http2ServerResponse) {
      response.setTimeout(server.timeout)
      response.on('timeout', endStream)
    } else used.add(socket)
  })
  server.on('timeout', (connection: HttpSocket | ServerHttp2Session) => {
    if ('goaway' in connection) connection.close()
    // Between two responses the timeout is that of keep-alive.
    else if (connection.writableLength > 0) connection.destroy()
    else if (!connection._httpMessage && used.has(connection)) connection.destroy()
  })
}

function endStream(this: Http2ServerResponse): void {
  if (this.stream.writableLength > 0) this.stream.close(constants.NGHTTP2_CANCEL)
}
