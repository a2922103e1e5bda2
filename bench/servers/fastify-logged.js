import Fastify from 'fastify'
import { port, reference } from './reference.js'

const { status, headers, body } = reference
const app = Fastify({ logger: true, disableRequestLogging: true })
app.addHook('onResponse', async ({ log, method, url, ip, headers: fields }, reply) => {
  const { statusCode, elapsedTime } = reply
  log.info({ method, url, status: statusCode, ms: elapsedTime, ip, agent: fields['user-agent'] })
})
app.get('/*', (_request, reply) => reply.code(status).headers(headers).send(body))
await app.listen({ port, host: '127.0.0.1' })
