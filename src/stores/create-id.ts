import { randomUUID } from 'node:crypto'

let lastTime = 0
let counter = 0

/** A UUID of version 7 (RFC 9562 §5.7). In one process each sorts after the one before. */
export function createId(): string {
  const now = Date.now()
  counter = now > lastTime ? 0 : counter + 1
  lastTime = counter > 0xfff ? lastTime + 1 : Math.max(now, lastTime)
  counter &= 0xfff
  const milliseconds = lastTime.toString(16).padStart(12, '0')
  const order = counter.toString(16).padStart(3, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${order}${randomUUID().slice(18)}`
}
