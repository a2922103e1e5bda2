import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import { port, reference } from './reference.js'

const { status, headers } = reference
const app = Fastify()
app.register(formbody)
app.get('/', () => '')
app.post('/*', (request, reply) => reply.code(status).headers(headers).send(request.body))
await app.listen({ port, host: '127.0.0.1' })
