import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { port, reference } from './reference.js'

const { status, headers, body } = reference
const app = new Hono()
app.all('*', (context) => context.body(body, status, headers))
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
