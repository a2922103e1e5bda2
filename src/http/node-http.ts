// An import of node:http evaluates every getter: that of WebSocket takes 40 ms and 15 MB of a start.
export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http')
