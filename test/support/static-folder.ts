import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { demos } from '../../src/demos/catalogue.ts'
import { mirror } from './mirror.ts'
import { testApp } from './test-app.ts'

/** Of each file. */
export const lastModified = 'Sun, 09 Sep 2001 01:46:40 GMT'
const files: Readonly<Record<string, string>> = {
  'public/digits.txt': '0123456789',
  'public/page.html': '<p>page</p>',
  'public/style.css': 'p {}',
  'public/script.js': '0',
  'public/bytes.bin': 'bytes',
  'public/empty.txt': '',
  'public/two words é.txt': 'named',
  'public/mirror/query': 'a file with the path of a demo',
  'public/sub/page.html': '<p>below</p>',
  'public/plain/file.txt': 'never listed',
  'public/.hidden': 'secret',
  'public/.git/config': 'secret',
  'public/sub/.hidden': 'secret',
  'outside.txt': 'secret',
  'public-too/file.txt': 'secret',
}

/** The app over its own folder, `public`, beside which there are files that are not served. */
export async function openFolder(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-static-'))
  t.after(() => rm(root, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
    await utimes(join(root, name), 1e9, 1e9)
  }
  return testApp(t, {
    settings: { PUBLIC_DIR: join(root, 'public') },
    demos: [mirror, ...demos.filter(({ name }) => name === 'static')],
  })
}
