import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { projectFolder } from '../support/start-vitrine.ts'

const run = promisify(execFile)

/** With this Node first in PATH, and without the variables of the npm that runs these tests. */
export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  npm_config_local_prefix: undefined,
  NODE_TEST_CONTEXT: undefined,
  VITRINE_BUNDLE: undefined,
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
}

export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--no-audit', '--no-fund'], {
    cwd,
    env: environment,
  })
  return stdout
}

/**
 * A copy of the repository, so that nothing is built in the working tree. It has a `dist/` that an
 * older build has left, and that would not run.
 */
export async function copyRepository(folder: string): Promise<string> {
  const copy = join(folder, 'repository')
  const left = ['.git', '.python', 'data', 'dist', 'node_modules']
  await cp(projectFolder, copy, {
    recursive: true,
    filter: (source) => !left.includes(basename(source)),
  })
  await symlink(join(projectFolder, 'node_modules'), join(copy, 'node_modules'))
  await mkdir(join(copy, 'dist'))
  await writeFile(join(copy, 'dist', 'main.js'), "throw new Error('left over')")
  await writeFile(join(copy, 'dist', 'left-over.js'), '')
  return copy
}

/** Packs the copy, and returns the path of the tarball in the folder. */
export async function packPackage(copy: string, folder: string): Promise<string> {
  await npm(copy, 'pack', '--pack-destination', folder)
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  return join(folder, tarball)
}

/** Packs the copy, and installs the package in a folder that has nothing else. */
export async function installPackage(copy: string, folder: string): Promise<string> {
  const tarball = await packPackage(copy, folder)
  const installed = await makeFolder(join(folder, 'installed'))
  await npm(installed, 'install', '--omit=dev', '--omit=optional', tarball)
  return installed
}

/** With a package.json, or npm would look for one further up. */
export async function makeFolder(folder: string): Promise<string> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  return folder
}

/** Every file below, by its path from there. */
export async function findFiles(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()
}

export async function countBytes(folder: string): Promise<number> {
  const files = await findFiles(folder)
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
