// For HEALTHCHECK: checks that the service responds. The image has no curl.
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'

const { HOST, PORT, ADMIN_HOST, ADMIN_PORT, TLS_CERT } = process.env
const hasAdmin = Boolean(ADMIN_PORT) && ADMIN_PORT !== '0'
const host = (hasAdmin ? ADMIN_HOST : HOST) || '127.0.0.1'
const get = TLS_CERT && !hasAdmin ? getSecure : getPlain

const request = get(
  {
    host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host,
    port: (hasAdmin ? ADMIN_PORT : PORT) || '3000',
    path: '/health/live',
    // The certificate is for the public host name.
    rejectUnauthorized: false,
    timeout: 2000,
  },
  (response) => {
    response.resume()
    process.exitCode = response.statusCode === 200 ? 0 : 1
  },
)
request.on('timeout', () => request.destroy(new Error('no response')))
request.on('error', ({ message }) => {
  console.error(message)
  process.exitCode = 1
})
