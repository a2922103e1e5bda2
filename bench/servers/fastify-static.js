import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'

const app = Fastify()
app.register(fastifyStatic, { root: process.env.PUBLIC_DIR })
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
