/**
 * Node's HTTP without what an `import` of it brings along: that asks every getter of the module, and
 * the one of WebSocket loads a whole client, which is 40 ms and 15 MB of a start.
 */
export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http')
