import Fastify from 'fastify'
import { port, reference } from './reference.js'

const { status, headers, body } = reference
const app = Fastify()
app.get('/*', (_request, reply) => reply.code(status).headers(headers).send(body))
await app.listen({ port, host: '127.0.0.1' })
