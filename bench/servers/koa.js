import Koa from 'koa'
import { port, reference } from './reference.js'

const { status, headers, body } = reference
const app = new Koa()
app.use((context) => {
  context.status = status
  context.set(headers)
  context.body = body
})
app.listen(port, '127.0.0.1')
