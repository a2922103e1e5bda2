import { validate } from 'dockerfile-utils'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import packageJson from '../../package.json' with { type: 'json' }
import { loadConfig } from '../../src/config/config.ts'
import { settingNames, toEnvironmentName } from '../../src/config/settings.ts'
import { projectFolder } from '../support/start-vitrine.ts'
import {
  dockerfileText,
  findInImage,
  imageEnvironment,
  readProjectFile,
  stages,
} from './dockerfile.ts'

test('the Dockerfile is valid', () => {
  assert.deepEqual(validate(dockerfileText), [])
  assert.equal(validate(dockerfileText.replace('--interval', '--intervall')).length, 1)
})

test('every stage has a pinned image, and copies only from an earlier one', () => {
  const named: string[] = []
  for (const [from, ...rest] of stages) {
    const [image = '', , name = ''] = from?.text.split(' ') ?? []
    assert.match(image, /^node:26-[a-z]+-slim$/)
    const sources = rest.map(({ flags }) => flags.from).filter((source) => source !== undefined)
    for (const source of sources) assert.ok(named.includes(source), source)
    named.push(name)
  }
  assert.equal(named.length, 3)
})

test('copied files of the repository exist, and are not excluded from the build', () => {
  const ignored = readProjectFile('.dockerignore').split('\n')
  assert.ok(ignored.includes('*'))
  const admitted = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const copies = stages.flat().filter(({ name, flags }) => name === 'COPY' && !flags.from)
  const copied = copies.flatMap(({ text }) => text.split(' ').slice(0, -1))
  assert.ok(copied.length > 3)
  for (const path of [...admitted, ...copied.filter((name) => name !== '.')]) {
    assert.ok(existsSync(join(projectFolder, path)), path)
    assert.ok(admitted.includes(path), path)
  }
  // The files of the package; `npm pack` adds LICENSE and README itself.
  const inSubfolder = /^(dist|src)\//
  const document = /\.md$|^(docs|decisions|deploy)\b|^compose/
  const packed = packageJson.files.filter((path) => !inSubfolder.test(path) && !document.test(path))
  for (const path of [...packed, 'src', 'LICENSE', 'README.md', 'tsconfig.build.json']) {
    assert.ok(admitted.includes(path), path)
  }
})

test('the image starts as npm start does, as an unprivileged user, and receives signals', () => {
  assert.match(findInImage('USER'), /^[1-9]\d+:[1-9]\d+$/)
  assert.equal(findInImage('STOPSIGNAL'), 'SIGTERM')
  const command = (JSON.parse(findInImage('ENTRYPOINT')) as string[]).join(' ').replace('/app/', '')
  assert.equal(command, packageJson.scripts.start)
  const [shebang = ''] = readProjectFile('bin/vitrine.js').split('\n')
  assert.equal(`${shebang.replace('#!/usr/bin/env -S ', '')} bin/vitrine.js`, command)
  // The cache is only used by the user who created it, with the same flags.
  const warm = stages[1]?.find(({ text }) => text.includes('--version'))
  assert.deepEqual(JSON.parse(warm?.text ?? ''), [...command.split(' '), '--version'])
  assert.equal(stages[1]?.find(({ name }) => name === 'USER')?.text, 'node')
})

test('its settings exist, and its data is in its volume', () => {
  const { NODE_ENV, SQLITE_TMPDIR, ...settings } = imageEnvironment
  const known = settingNames.map(toEnvironmentName)
  const unexpected = Object.keys(settings).filter((name) => !known.includes(name))
  assert.deepEqual(unexpected, [])
  const { port, host, databaseUrl, filesUrl } = loadConfig(settings, ['topic'])
  assert.equal(String(port), findInImage('EXPOSE'))
  assert.equal(host, '0.0.0.0')
  const volume = findInImage('VOLUME')
  for (const path of [databaseUrl, filesUrl, SQLITE_TMPDIR ?? '']) {
    assert.ok(path.includes(volume), path)
  }
  assert.equal(NODE_ENV, 'production')
})

/** The exit status of HEALTHCHECK with these settings. */
async function checkHealth(settings: Record<string, string>) {
  const [, command = ''] = findInImage('HEALTHCHECK').split('CMD ')
  const [, script = ''] = JSON.parse(command) as string[]
  const path = script.replace('/app/', 'deploy/')
  const child = spawn(process.execPath, [path], { cwd: projectFolder, env: settings })
  const [status] = (await once(child, 'close')) as [number]
  return status
}

test('its health check is /health/live, on the admin port if there is one', async (t) => {
  let status = 200
  const sent: string[] = []
  const server = createServer(({ url = '' }, response) => {
    sent.push(url)
    response.writeHead(status).end()
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = String((server.address() as AddressInfo).port)
  const cases = [
    { HOST: '0.0.0.0', PORT: port },
    { HOST: '127.0.0.1', PORT: '1', ADMIN_HOST: '0.0.0.0', ADMIN_PORT: port },
    { PORT: '1', ADMIN_PORT: port, TLS_CERT: 'cert.pem' },
  ]
  for (const settings of cases) assert.equal(await checkHealth(settings), 0)
  assert.deepEqual(sent, ['/health/live', '/health/live', '/health/live'])
  status = 503
  assert.equal(await checkHealth({ PORT: port }), 1)
  assert.equal(await checkHealth({ PORT: '1' }), 1)
})
