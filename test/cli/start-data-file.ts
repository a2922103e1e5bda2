import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { findOrigin, spawnVitrine } from '../support/start-vitrine.ts'

export const blog = { posts: [{ id: 1, title: 'One' }], profile: { name: 'Ann' } }

export async function start(t: TestContext, settings: Record<string, string>, ...flags: string[]) {
  const started = spawnVitrine({ PORT: '0', LOG_LEVEL: 'warn', ...settings }, flags)
  const child = started.process
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  t.after(stop)
  return { origin: await findOrigin(started), output: started.output, stop }
}

export async function read(url: string): Promise<unknown> {
  return (await fetch(url)).json()
}

/** What a command writes. */
export async function run(settings: Record<string, string>, ...flags: string[]): Promise<string> {
  const { process: child, output } = spawnVitrine(settings, flags)
  await once(child, 'close')
  return output()
}
