import fc from 'fast-check'
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { testApp } from '../../test/support/test-app.ts'
import { toAddressKey } from './limits.ts'

const rows: readonly [address: string | undefined, key: string | undefined][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['127.0.0.1', '127.0.0.1'],
  ['192.0.2.1:49152', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:1::', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0000:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['[2001:db8::1]:8443', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::192.0.2.1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['', undefined],
  [undefined, undefined],
  ['unknown', undefined],
  ['_hidden', undefined],
  ['192.0.2.256', undefined],
  ['192.0.2.1, 192.0.2.2', undefined],
  ['192.0.2.01', undefined],
  ['2001:db8::1:8443:99999', undefined],
  ['[192.0.2.1', undefined],
  ['::1 ', undefined],
]

test('an IP address is the key of its client', () => {
  for (const [address, key] of rows) assert.equal(toAddressKey(address), key, String(address))
})

const group = fc.integer({ min: 0, max: 0xffff })
const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length })
const hex = (value: number) => value.toString(16)
const write = (parts: readonly number[]) => parts.map(hex).join(':')

test('the key of an IPv6 address is its first half, however the address is written', () => {
  const property = fc.property(groups(4), groups(4), groups(4), (network, one, other) => {
    fc.pre(network.some((part) => part !== 0))
    const addresses = [
      write([...network, ...one]),
      write([...network, ...other]).toUpperCase(),
      [...network, ...one].map((part) => hex(part).padStart(4, '0')).join(':'),
      new URL(`http://[${write([...network, ...other])}]`).hostname,
    ]
    assert.deepEqual([...new Set(addresses.map(toAddressKey))], [`${write(network)}::/64`])
  })
  fc.assert(property)
})

test('two networks have two keys', () => {
  const property = fc.property(groups(4), groups(4), groups(4), (one, other, host) => {
    fc.pre(write(one) !== write(other))
    assert.notEqual(
      toAddressKey(write([...one, ...host])),
      toAddressKey(write([...other, ...host])),
    )
  })
  fc.assert(property)
})

test('an IPv4 address is its own key, mapped to IPv6 or not', () => {
  const property = fc.property(fc.ipV4(), (address) => {
    assert.equal(toAddressKey(address), address)
    assert.equal(toAddressKey(`::ffff:${address}`), address)
  })
  fc.assert(property)
})

test('any text is accepted, and the key of an address is short', () => {
  const property = fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended()), (text) => {
    const key = toAddressKey(text)
    if (isIP(text) !== 0) assert.ok(key !== undefined && key.length <= 30, text)
  })
  fc.assert(property)
})

const forwarded: readonly [address: string, client: string][] = [
  ['9.9.9.6', '9.9.9.6'],
  ['9.9.9.6:1234', '9.9.9.6'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['garbage', '10.0.0.1'],
  ['unknown', '10.0.0.1'],
  ['', '10.0.0.1'],
]
for (const [address, client] of forwarded) {
  test(`the client of a proxy that forwards "${address}" is ${client}`, async (t) => {
    const app = await testApp(t, {
      settings: {
        TRUSTED_PROXIES: '10.0.0.1',
        ALLOWED_HOSTS: '*',
        INSPECTOR: 'all',
        RATE_LIMIT: '9',
      },
    })
    const remoteAddress = '10.0.0.1'
    const headers = { 'x-forwarded-for': address }
    await app.inject({ url: '/mirror/query', headers, remoteAddress })
    const { body } = await app.inject({
      url: '/inspector',
      headers: { accept: 'application/json' },
    })
    const { exchanges } = JSON.parse(body) as { exchanges: { client: string }[] }
    assert.equal(exchanges[0]?.client, client)
    const direct = await app.inject({ url: '/mirror/query', remoteAddress: client })
    assert.match(String(direct.headers.ratelimit), /r=7/)
  })
}
