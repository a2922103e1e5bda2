// The reference: Node's server, which only sends.
import { createServer } from 'node:http'
import { port, reference } from './reference.js'

const { status, headers, body } = reference

createServer((request, response) => {
  const send = () => response.writeHead(status, headers).end(body)
  if (request.method === 'GET') send()
  else request.on('end', send).resume()
}).listen(port, '127.0.0.1')
