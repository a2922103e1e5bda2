import { once } from 'node:events'
import { createServer } from 'node:net'

export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  await using server = createServer().listen(0, host)
  await once(server, 'listening')
  const bound = server.address()
  return typeof bound === 'object' && bound ? bound.port : 0
}
