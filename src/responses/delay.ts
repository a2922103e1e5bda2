import type { Description } from './description.ts'

type Delay = NonNullable<Description['delay']>

/** The longest time that it can take, in seconds. */
export function toMaxDelay(delay: Delay = 0): number {
  if (typeof delay === 'number') return delay
  return typeof delay === 'string' ? Math.max(...toBounds(delay)) : delay.mean
}

/** The seconds of one request, at most `max`. */
export function drawDelay(delay: Delay = 0, max: number): number {
  if (typeof delay === 'number') return delay
  if (typeof delay === 'string') {
    const [least = 0, most = 0] = toBounds(delay)
    return least + Math.random() * (most - least)
  }
  return Math.min(Math.max(0, delay.mean + delay.deviation * drawNormal()), max)
}

const toBounds = (range: string) => range.split('-').map(Number)

/** Box and Muller: a number of the standard normal distribution. */
function drawNormal(): number {
  const radius = Math.sqrt(-2 * Math.log(1 - Math.random()))
  return radius * Math.cos(2 * Math.PI * Math.random())
}
