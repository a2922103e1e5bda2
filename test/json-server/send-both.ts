import type { Comparable, SentRequest } from './types.ts'

/** A server and the ids that it gave to the records of the sequence. */
export interface Side {
  origin: string
  created: string[]
}

/** Sends the request, and replaces what can only be equal by chance: the origin and random ids. */
export async function sendComparable(side: Side, sent: SentRequest): Promise<Comparable> {
  const { origin, created } = side
  const { method, target, type, body } = sent
  const path = target.replace(/@(\d)/, (_, number: string) => created[Number(number) - 1] ?? 'none')
  const response = await fetch(origin + path, {
    method,
    headers: type ? { 'content-type': type } : {},
    // Without a type, fetch would send that of text.
    ...(body !== undefined && { body: type ? body : Buffer.from(body) }),
  })
  const text = await response.text()
  const ofHeader = (name: string) => (response.headers.get(name) ?? '').replaceAll(origin, '')
  const isJson = ofHeader('content-type').startsWith('application/json')
  const id = isJson && method === 'POST' ? findRandomId(text) : undefined
  if (id !== undefined) created.push(id)
  const toComparable = (given: string) =>
    created.reduce((shown, own, index) => shown.replaceAll(own, `@${String(index + 1)}`), given)
  return {
    status: response.status,
    type: ofHeader('content-type').replace(/;.*/, ''),
    location: toComparable(ofHeader('location')),
    link: ofHeader('link'),
    total: ofHeader('x-total-count'),
    body: isJson && text !== '' ? (JSON.parse(toComparable(text)) as unknown) : text,
  }
}

/** 1 gives every record an id of 8 random bytes. */
function findRandomId(text: string): string | undefined {
  const { id } = JSON.parse(text) as { id?: unknown }
  return typeof id === 'string' && /^[\w-]{11}$/.test(id) ? id : undefined
}
