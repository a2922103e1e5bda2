// A process of its own, so that its work does not delay the clients whose times are measured.
import fc from 'fast-check'
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { costlyRequests } from '../generated/fuzz-costly.ts'
import { asMessage, chunkedMessages, mutated, requests } from '../generated/fuzz-requests.ts'
import { asUpload } from '../support/multipart-form.ts'
import { drip, openSocket, sendText, waitForClose, type Target } from './connection.ts'

const random = (max: number) => Math.floor(Math.random() * max)
const head = (line: string, ...fields: readonly string[]) =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...fields, '', ''].join('\r\n')
const get = (path: string, ...fields: readonly string[]) => head(`GET ${path}`, ...fields)

type Attack = (target: Target) => Promise<unknown>

const messages = [
  requests.map(asMessage),
  chunkedMessages,
  mutated,
  ...Object.values(costlyRequests),
]

const fuzz: Attack = async (target) => {
  for (const message of fc.sample(fc.oneof(...messages), 20)) {
    const response = await sendText(target, message)
    const isRequested = /status/i.test(message.slice(0, 200))
    if (response.startsWith('HTTP/1.1 500') && !isRequested)
      report(`500 for ${JSON.stringify(message.slice(0, 1000))}`)
  }
}

const flood: Attack = async (target) => {
  const paths = [
    '/',
    '/locations',
    '/users?q=a&sort=name',
    '/docs',
    '/httpbin/anything',
    '/nowhere',
  ]
  const text = Array.from({ length: 50 }, () => get(paths[random(paths.length)] ?? '/')).join('')
  await sendText(target, text, 2)
}

const slowHeads: Attack = (target) =>
  Promise.all(Array.from({ length: 40 }, () => drip(target, 'GET / HTTP/1.1\r\nX-Slow: ', 30)))

const slowBodies: Attack = (target) => {
  const fields = ['Content-Type: text/plain', 'Content-Length: 60000']
  const paths = ['/users/post/raw', '/locations', '/profile', '/httpbin/post', '/nowhere']
  const starts = paths.map((path) => head(`POST ${path}`, ...fields))
  return Promise.all([...starts, ...starts].map((start) => drip(target, start, 70)))
}

const slowReaders: Attack = async (target) => {
  const paths = ['/locations.ndjson', '/locations?per_page=100', '/httpbin/bytes/100000', '/docs']
  const sockets = paths.flatMap((path) => {
    const socket = openSocket(target).pause()
    socket.write(get(path).repeat(30))
    return [socket]
  })
  await Promise.all(sockets.map((socket) => waitForClose(socket, 40)))
}

const pipelining: Attack = async (target) => {
  const socket = openSocket(target)
  socket.write(get('/locations?per_page=50').repeat(500))
  socket.once('data', () => socket.pause())
  await waitForClose(socket, 1 + random(5))
}

const webSockets: Attack = async (target) => {
  const socket = openSocket(target)
  socket
    .resume()
    .write(
      get(
        `/go-httpbin/websocket/echo?max_message_size=${String(1 + random(70_000))}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ),
    )
  for (let count = 0; count < 50 && socket.writable; count += 1) {
    const length = random(126)
    // Sometimes without a mask, with an unknown opcode, or longer than it says.
    const frame = [random(256), random(4) === 0 ? length : 128 | length]
    socket.write(Buffer.concat([Buffer.from(frame), randomBytes(4 + length + random(2))]))
    await setTimeout(10)
  }
  await waitForClose(socket, 5)
}

const abortedUploads: Attack = async (target) => {
  const { headers, payload } = asUpload(randomBytes(500_000))
  const socket = openSocket(target)
  const fields = [
    `Content-Type: ${headers['content-type']}`,
    `Content-Length: ${String(payload.length)}`,
  ]
  socket.resume().write(head('POST /profile', ...fields))
  socket.write(payload.subarray(0, random(payload.length)))
  await setTimeout(random(200))
  if (random(2) === 0) socket.destroy()
  else socket.resetAndDestroy()
}

/** Nothing that a client sends as a secret is shown to it, or to another, by the inspector. */
const secrets: Attack = async (target) => {
  const [key, secret] = [randomUUID(), `soaksecret${randomBytes(12).toString('hex')}`]
  const own = [`X-Inspector: ${key}`, 'Accept: application/json', 'Connection: close']
  await sendText(target, get('/httpbin/headers', ...own, `Authorization: Bearer ${secret}`))
  await sendText(
    target,
    get(`/locations?access_token=${secret}`, ...own, `Cookie: session=${secret}`),
  )
  const body = JSON.stringify({ name: 'a', password: secret })
  const fields = ['Content-Type: application/json', `Content-Length: ${String(body.length)}`]
  await sendText(target, head('POST /users', ...own, ...fields) + body)
  for (const path of ['/inspector?mine=1', '/inspector.har?mine=1', '/inspector'])
    if ((await sendText(target, get(path, ...own))).includes(secret))
      report(`${path} shows a secret`)
}

const bins: Attack = async (target) => {
  const created = await sendText(
    target,
    head('POST /bins', 'Accept: application/json', 'Content-Length: 0', 'Connection: close'),
  )
  const [, id = ''] = /"id":"([\w-]+)"/.exec(created) ?? []
  if (random(20) > 0) return
  for (let count = 0; count < 120; count += 1) {
    const body = 'x'.repeat(random(70_000))
    await sendText(
      target,
      head(`POST /b/${id}/a`, `Content-Length: ${String(body.length)}`, 'Connection: close') + body,
    )
  }
}

const eventStreams: Attack = async (target) => {
  const sockets = Array.from({ length: 20 }, (_, index) => {
    const socket = openSocket(target)
    socket.write(get('/inspector/events', 'Accept: text/event-stream'))
    // Some are never read.
    if (index % 2 === 0) socket.resume()
    return socket
  })
  await setTimeout(random(20_000))
  for (const socket of sockets) socket.destroy()
}

const logins: Attack = async (target) => {
  const body = `username=${'a'.repeat(random(500))}&password=${'b'.repeat(random(1500))}`
  const type = 'Content-Type: application/x-www-form-urlencoded'
  const fields = [type, `Content-Length: ${String(body.length)}`, 'Connection: close']
  await sendText(target, head('POST /login', ...fields) + body)
}

const attacks: Readonly<Record<string, Attack>> = {
  fuzz,
  flood,
  slowHeads,
  slowBodies,
  slowReaders,
  pipelining,
  webSockets,
  abortedUploads,
  secrets,
  bins,
  eventStreams,
  logins,
}

function report(problem: string): void {
  console.log(JSON.stringify({ problem }))
}

const counts: Record<string, number> = {}

async function repeat(name: string, attack: Attack, target: Target): Promise<never> {
  for (;;) {
    await attack(target)
    counts[name] = (counts[name] ?? 0) + 1
    await setTimeout(random(100))
  }
}

const [origin = ''] = process.argv.slice(2)
process.on('SIGTERM', () => {
  console.log(JSON.stringify({ counts }))
  process.exit(0)
})
for (const [index, [name, attack]] of Object.entries(attacks).entries())
  for (const place of [1, 2])
    void repeat(name, attack, {
      origin,
      localAddress: `127.0.${String(place + 1)}.${String(index + 1)}`,
    })
