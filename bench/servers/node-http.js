import { createServer } from 'node:http'
import { port, reference } from './reference.js'

const { status, headers, body } = reference
createServer((_request, response) => response.writeHead(status, headers).end(body)).listen(
  port,
  '127.0.0.1',
)
