import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { commands } from '../../src/cli/commands.ts'
import { projectFolder } from '../support/start-vitrine.ts'
import {
  runSucceeding,
  emptyService,
  openService,
  runFailing,
  runCommand,
} from '../support/data-folder.ts'

const cases: Record<string, string> = {
  polish: 'unknown command; see --help',
  bakcup: 'unknown command; did you mean backup? See --help',
  toString: 'unknown command; see --help',
  backup: 'backup requires a FILE',
  'restore --port 0': 'restore requires a FILE',
  'backup one two': 'too many arguments for backup',
  'serve me': 'too many arguments for serve',
  'reset now': 'too many arguments for reset',
  seed: 'seed requires a whole number from 1 to 10,000,000',
  'seed 0': 'seed requires a whole number from 1 to 10,000,000',
  'seed -- -5': 'seed requires a whole number from 1 to 10,000,000',
  'seed 1e3': 'seed requires a whole number from 1 to 10,000,000',
  'seed 99999999': 'seed requires a whole number from 1 to 10,000,000',
  'seed 5 5': 'too many arguments for seed',
  'seed 5 --port': '--port requires a value',
  '--static --port 4140': '--static requires a value',
  '-p 4140': 'unknown flag -p; did you mean --port? See --help',
  '--public-dir x': 'unknown flag --public-dir; did you mean --static? See --help',
  '--data-reload': 'unknown flag --data-reload; did you mean --reload? See --help',
  '--max-list-items 5': 'unknown flag --max-list-items; see --help',
  '-w': 'unknown flag -w; did you mean --fresh --watch? See --help',
  '-pass': 'flags start with two hyphens; see --help',
  '--ro': 'unknown flag --ro; did you mean --read-only? See --help',
  '-h': 'unknown flag -h; did you mean --help or --host? See --help',
  '--nc': 'unknown flag --nc; use --cors-origins none. See --help',
  '--config=json-server.json':
    'unknown flag --config; every flag can also be set in the environment. See --help',
  '--fks=_id': 'unknown flag --fks; did you mean --foreignKeySuffix? See --help',
  '--middlewares=./log.js':
    'unknown flag --middlewares; no code of yours is run; $responses in the data file describes responses. See --help',
  '--no-gzip': 'unknown flag --no-gzip; use --compression off. See --help',
  '-m hello.js':
    'unknown flag -m; no code of yours is run; $responses in the data file describes responses. See --help',
  '--config my.json':
    'unknown flag --config; every flag can also be set in the environment. See --help',
  '-S': 'unknown flag -S; vitrine db.json export FILE writes the stored records, and --test-api has snapshots. See --help',
  '--quiet': 'unknown flag --quiet; did you mean --log-level? See --help',
  '--test-api true': '--test-api takes a value only with =: --test-api=off',
  '--watch': '--watch (DATA_WATCH) cannot be used without a data file: vitrine db.json',
}

for (const [line, problem] of Object.entries(cases)) {
  test(`vitrine ${line} prints one clear line, and opens nothing`, async (t) => {
    const services = await emptyService(t)
    assert.equal(await runFailing(services, ...line.split(' ')), `vitrine: ${problem}`)
    assert.equal(existsSync(join(services.folder, 'kept')), false)
  })
}

test('errors of the command and of the settings are printed together', async (t) => {
  const services = await emptyService(t, { MAX_BODY_BYTES: 'many' })
  const { status, output } = await runCommand(services, 'backup', '--colour', 'red')
  assert.equal(status, 2)
  assert.equal(output.split('\n').length, 3, output)
})

test('options with a value may be before or after a command, as with npm start', async (t) => {
  const { folder, settings } = await emptyService(t)
  const url = (name: string) => `sqlite:${join(folder, name)}`
  const before = ['--database-url', url('before.db'), 'seed', '3', '--workers=1']
  assert.match(
    await runSucceeding({ folder, settings }, ...before),
    /Added 3 users and 3 locations/,
  )
  const args = ['start', '--silent', '--', 'seed', '1', '--database-url', url('after.db')]
  const env = { ...settings, PATH: process.env.PATH }
  const { stdout } = await promisify(execFile)('npm', args, { cwd: projectFolder, env })
  assert.match(stdout, /Added 1 user and 1 location;/)
  for (const name of ['before.db', 'after.db']) assert.ok(existsSync(join(folder, name)), name)
})

for (const flags of ['--preset public', '--preset=public']) {
  test(`npm start ${flags} without -- does not start, and prints why`, async (t) => {
    const { folder, settings } = await emptyService(t)
    const env = { ...settings, PATH: process.env.PATH }
    const args = ['start', '--silent', ...flags.split(' ')]
    const started = promisify(execFile)('npm', args, { cwd: projectFolder, env })
    await assert.rejects(started, {
      code: 2,
      stderr: /^vitrine: npm took --preset\. Did you forget -- after npm start\?$/m,
    })
    assert.equal(existsSync(join(folder, 'kept')), false)
  })
}

test('the default command is serve', async (t) => {
  const { folder, settings } = await emptyService(t)
  const { send } = await openService(t, { folder, settings })
  assert.equal((await send('/health')).status, 200)
})

test('every command is in the help', async (t) => {
  const help = await runSucceeding(await emptyService(t), '--help')
  for (const name of Object.keys(commands)) assert.match(help, new RegExp(`^  ${name}\\b`, 'm'))
})

test('the help of a command has its argument and its settings only', async (t) => {
  const help = await runSucceeding(await emptyService(t), 'backup', '--help')
  assert.match(help, /^Usage: vitrine .*backup FILE/)
  assert.deepEqual(help.match(/^ {2}--\S+/gm), ['  --database-url', '  --files-url'])
})

test('commands reject a database that other processes cannot open, or that cannot be reached', async (t) => {
  const memory = await emptyService(t, { DATABASE_URL: 'sqlite::memory:' })
  for (const args of [['backup', 'x'], ['restore', 'x'], ['seed', '1'], ['reset']]) {
    assert.match(await runFailing(memory, ...args), /other processes cannot access/)
  }
  const postgres = await emptyService(t, { DATABASE_URL: 'postgres://ann@127.0.0.1:1/glass' })
  for (const [verb, ...args] of [
    ['seed', 'seed', '1'],
    ['back up', 'backup', 'x'],
  ] as const)
    assert.match(
      await runFailing(postgres, ...args),
      new RegExp(`cannot ${verb}: DATABASE_URL cannot be opened`),
    )
})
