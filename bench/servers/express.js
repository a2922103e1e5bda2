import express from 'express'
import { port, reference } from './reference.js'

const { status, headers, body } = reference
const app = express()
app.disable('x-powered-by')
app.set('etag', false)
app.use((_request, response) => response.status(status).set(headers).end(body))
app.listen(port, '127.0.0.1')
