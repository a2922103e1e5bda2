// An import of node:http evaluates every getter: that of WebSocket takes 40 ms and 15 MB of a start. The modules
// of TLS and HTTP/2 take 16 ms and 3 MB, and are loaded where a service uses them.
export const { METHODS, STATUS_CODES, ServerResponse, createServer, request } =
  process.getBuiltinModule('node:http')

// RFC 9110 §15.5.14, §15.5.21; Node has the names of older RFCs.
Object.assign(STATUS_CODES, { 413: 'Content Too Large', 422: 'Unprocessable Content' })
