import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readProjectFile } from '../package/dockerfile.ts'
import { findProgram } from './find-program.ts'
import { projectFolder, temporaryFolder } from './start-vitrine.ts'

// Debian installs it into a folder that is only in root's PATH.
const program = findProgram('nginx', '../sbin/nginx')

/** False, or why there can be no such test here: for `skip`. */
export const withoutNginx =
  program === undefined && !process.env.REQUIRE_NGINX
    ? 'nginx is not installed; install nginx-light'
    : false

/** Copies what compose.yaml mounts into a temporary folder, where a test may change it. */
export async function writeNginxFiles(t: TestContext) {
  if (program === undefined) throw new Error('REQUIRE_NGINX is set: there is no nginx')
  const folder = await temporaryFolder(t)
  const file = join(folder, 'nginx.conf')
  const upstreamFile = join(folder, 'upstream.conf')
  const text = readProjectFile('deploy/nginx.conf').replaceAll('/tmp/', `${folder}/`)
  // Standard output is a socket here, which cannot be opened.
  await writeFile(file, text.replace('/dev/stdout', `${folder}/access.log`))
  await copyFile(join(projectFolder, 'deploy/upstream.conf'), upstreamFile)
  return { program, file, upstreamFile }
}
