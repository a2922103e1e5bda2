import type { FastifyInstance } from 'fastify'
import { clearInterval, setInterval } from '../timers.ts'

interface Sweeping {
  name: string
  everySeconds: number
  sweep: (now: string) => Promise<unknown>
}

export function sweepRegularly(app: FastifyInstance, { name, everySeconds, sweep }: Sweeping) {
  const sweepNow = () =>
    sweep(new Date().toISOString()).catch((error: unknown) => {
      app.log.warn({ err: error }, `${name} could not be swept`)
    })
  let sweeping = sweepNow()
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweepNow)
  }, everySeconds * 1000).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await sweeping
  })
}
