import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { spawnVitrine, temporaryFolder } from './start-vitrine.ts'

/** Fails unless the default service opens without loading a module whose address is `unwanted`. */
export async function assertOpensWithout(t: TestContext, unwanted: RegExp): Promise<void> {
  const hooks = `import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => {
      if (${String(unwanted)}.test(url)) throw new Error('loaded: ' + url)
      return next(url, context)
    } })`
  const { process: child, output } = spawnVitrine({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: 'sqlite::memory:',
    FILES_URL: `file:${join(await temporaryFolder(t), 'files')}`,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
  })
  t.after(() => child.kill('SIGKILL'))
  await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'close')])
  assert.match(output(), /^Vitrine is listening on /)
}
