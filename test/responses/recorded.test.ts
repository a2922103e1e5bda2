import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../src/exchanges/exchange.ts'
import { until } from '../support/until.ts'
import { fetchOver, fetchWithNode, openFaults, openSession, type Listening } from './read-faults.ts'

async function findExchange({ app }: Listening, number: number): Promise<Exchange> {
  const headers = { accept: 'application/json' }
  let exchanges: Exchange[] = []
  await until(async () => {
    const list = await app.inject({ url: '/inspector?path=/responses/', headers })
    ;({ exchanges } = list.json<{ exchanges: Exchange[] }>())
    return exchanges.length === number
  })
  return (await app.inject({ url: `/inspector/${exchanges[0]?.id ?? ''}`, headers })).json()
}

const hints = 'early_hint=Link:+</a>;rel=preload&early_hint=Authorization:+Bearer+secret'
const leftOut = ['X-Accel-Redirect', 'No-Vary-Search', 'Set-Cookie', 'Location', 'Content-Type']

for (const isTls of [false, true]) {
  const version = isTls ? 'HTTP/2.0' : 'HTTP/1.1'
  test(`an exchange over ${version} has early hints, trailers, and the step of a sequence`, async (t) => {
    const listening = await openFaults(t, isTls)
    const { app, origin } = listening
    const more = leftOut.map((name) => `&early_hint=${name}:+/`).join('')
    const path = `/responses/sequence/k?steps=503*2,200&${hints}${more}&trailer=X-Sum:+6`
    const send = () =>
      isTls ? fetchOver(openSession(t, origin), path) : fetchWithNode(origin + path)
    for (const number of [1, 2]) {
      await send()
      const { status, step, trailerFields } = await findExchange(listening, number)
      assert.deepEqual([status, step, trailerFields], [503, number, undefined])
    }
    await send()
    const { id, step, ...exchange } = await findExchange(listening, 3)
    assert.deepEqual([exchange.status, step, exchange.trailerFields], [200, 3, [['x-sum', '6']]])
    const early = Object.fromEntries(exchange.earlyHintFields ?? [])
    assert.deepEqual([early.link, early.authorization], ['</a>;rel=preload', '••••••'])
    const dropped = early['vitrine-dropped-headers']?.split(', ') ?? []
    assert.deepEqual(dropped.sort(), leftOut.map((name) => name.toLowerCase()).sort())
    assert.deepEqual(
      Object.keys(early).filter((name) => dropped.includes(name)),
      [],
    )
    const [hintHead, head] = exchange.responseHead.split('\n\n')
    assert.match(hintHead ?? '', new RegExp(`^${version} 103 Early Hints\nlink: </a>`))
    assert.match(head ?? '', new RegExp(`^${version} 200 `))
    const messages = await app.inject(`/inspector/${id}.http`)
    assert.match(messages.body, /\r\n\r\nHTTP\/\S+ 103 .*\r\n\r\nHTTP\/\S+ 200 /s)
    const page = await app.inject({ url: `/inspector/${id}`, headers: { accept: 'text/html' } })
    assert.match(page.body, /Step of the sequence<\/dt><dd>3<.*Trailer<\/dt><dd><code>x-sum: 6</s)
  })

  test(`the steps of a sequence over ${version} can be faults`, async (t) => {
    const listening = await openFaults(t, isTls)
    const path = '/responses/sequence/k?steps=short-body*2,503,stall&seconds=0'
    const got: unknown[] = []
    for (const number of [1, 2, 3, 4]) {
      if (isTls) await fetchOver(openSession(t, listening.origin), path)
      else await fetchWithNode(listening.origin + path)
      const { status, fault, isCutOff } = await findExchange(listening, number)
      got.push([status, fault, isCutOff])
    }
    const short = [200, 'short-body', true]
    assert.deepEqual(got, [short, short, [503, undefined, false], [200, 'stall', false]])
  })

  test(`an exchange over ${version} has the fault that it was asked for`, async (t) => {
    const listening = await openFaults(t, isTls)
    const path = '/responses/custom?fault=short-body'
    if (isTls) await fetchOver(openSession(t, listening.origin), path)
    else await fetchWithNode(listening.origin + path)
    const { fault, isCutOff } = await findExchange(listening, 1)
    assert.deepEqual([fault, isCutOff], ['short-body', true])
  })
}
