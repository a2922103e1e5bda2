import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { port, reference } from './reference.js'

const { status, headers, body } = reference
const { TLS_CERT, TLS_KEY } = process.env
const https = TLS_CERT && { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }
const app = Fastify(https ? { http2: true, https: { ...https, allowHTTP1: true } } : {})
app.get('/*', (_request, reply) => reply.code(status).headers(headers).send(body))
await app.listen({ port, host: '127.0.0.1' })
