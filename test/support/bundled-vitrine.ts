import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { projectFolder } from './start-vitrine.ts'

/**
 * Lays out the service as its package has it, with the demos of the tests: it starts in a third of the
 * processor time that the sources take, and the suites start it some hundred times. The folder is in
 * `node_modules`, where the bundle finds what it does not have, and is deleted when this process ends.
 */
export function bundleVitrine(): string {
  // The cache of compiled code is beside the service, and is deleted with it.
  const around = join(projectFolder, 'node_modules/.cache/bundles', String(process.pid))
  const folder = join(around, 'vitrine')
  process.once('exit', () => {
    rmSync(around, { recursive: true, force: true })
  })
  const files = packageJson.files.filter((path) => !/^dist|\.md$|^docs|^decisions/.test(path))
  for (const path of globSync(files, { cwd: projectFolder })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(projectFolder, path), join(folder, path))
  }
  // Node resolves a link to the file of a program, which is to find the package that it is in.
  rmSync(join(folder, 'bin'))
  for (const path of ['bin', 'package.json'])
    cpSync(join(projectFolder, path), join(folder, path), { recursive: true })
  const output = [`--outdir=${join(folder, 'dist')}`, '--entry-names=[name]', '--log-level=warning']
  const flags = ['--run', 'bundle', '--', 'test/support/with-test-demos.js', ...output]
  const options = { cwd: projectFolder, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(process.execPath, flags, options)
  if (status !== 0) throw new Error(`The service is not bundled: ${stderr}`)
  return folder
}
