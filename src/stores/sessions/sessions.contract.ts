import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { Session, Sessions } from './sessions.ts'

/** Opens an empty store that is removed when the test ends. */
export type OpenSessions = (t: TestContext) => Promise<Sessions>

const hash = 'a'.repeat(64)
const other = 'b'.repeat(64)

/** In the distant future, so that a store that expires sessions itself still has them. */
const year = new Date().getUTCFullYear() + 1

/** The behaviour of every backend of sessions. One that expires sessions itself sweeps nothing. */
export function sessionsContract(
  name: string,
  open: OpenSessions,
  { forgetsByItself = false } = {},
): void {
  suite(`sessions in ${name}`, () => {
    oneSession(open)
    if (!forgetsByItself) sweeps(open)
  })
}

function oneSession(open: OpenSessions): void {
  test('a created session is found unchanged, and others are not found', async (t) => {
    const sessions = await open(t)
    await sessions.create(hash, sessionOf())
    assert.deepEqual(await sessions.find(hash), sessionOf())
    for (const unknown of [other, 'A'.repeat(64), hash.slice(1), '', '__proto__']) {
      assert.equal(await sessions.find(unknown), undefined, unknown)
    }
  })

  test('a session stores how its id was issued, and a touch leaves that unchanged', async (t) => {
    const sessions = await open(t)
    const issue = {
      by: 'renewal',
      oldId: '******-old',
      newId: '******-new',
      issuedAt: toTime(0),
    } as const
    await sessions.create(hash, sessionOf({ issue }))
    await sessions.touch(hash, toTime(2))
    assert.deepEqual(await sessions.find(hash), sessionOf({ issue, idleUntil: toTime(2) }))
  })

  test('a hash that is taken is rejected, and its session is unchanged', async (t) => {
    const sessions = await open(t)
    await sessions.create(hash, sessionOf())
    await assert.rejects(sessions.create(hash, sessionOf({ userId: 'mallory' })))
    assert.equal((await sessions.find(hash))?.userId, 'ann')
  })

  test('a touch extends the idle end and changes nothing else', async (t) => {
    const sessions = await open(t)
    await sessions.create(hash, sessionOf())
    await sessions.create(other, sessionOf())
    for (const minute of [2, 3]) {
      await sessions.touch(hash, toTime(minute))
      assert.deepEqual(await sessions.find(hash), sessionOf({ idleUntil: toTime(minute) }))
    }
    assert.deepEqual(await sessions.find(other), sessionOf())
  })

  test('a touch of an unknown session creates nothing', async (t) => {
    const sessions = await open(t)
    await sessions.touch(hash, toTime(2))
    assert.equal(await sessions.find(hash), undefined)
  })

  test('a removed session is not found, and a touch does not restore it', async (t) => {
    const sessions = await open(t)
    await sessions.create(hash, sessionOf())
    await sessions.create(other, sessionOf())
    assert.equal(await sessions.remove(hash), true)
    assert.equal(await sessions.remove(hash), false)
    await sessions.touch(hash, toTime(2))
    assert.equal(await sessions.find(hash), undefined)
    assert.deepEqual(await sessions.find(other), sessionOf())
  })

  test('a clearing removes many sessions, and counts them', async (t) => {
    const sessions = await open(t)
    assert.equal(await sessions.clear(), 0)
    const hashes = Array.from({ length: 60 }, (_, index) => `hash-${String(index)}`)
    for (const idHash of hashes) await sessions.create(idHash, sessionOf())
    assert.equal(await sessions.clear(), 60)
    for (const idHash of hashes) assert.equal(await sessions.find(idHash), undefined)
    await sessions.create(hash, sessionOf())
    assert.deepEqual(await sessions.find(hash), sessionOf())
  })

  test('a removal among twenty concurrent touches is final', async (t) => {
    const sessions = await open(t)
    await sessions.create(hash, sessionOf())
    const touches = Array.from({ length: 20 }, (_, minute) => sessions.touch(hash, toTime(minute)))
    const removed = sessions.remove(hash)
    await Promise.all(touches)
    assert.equal(await removed, true)
    assert.equal(await sessions.find(hash), undefined)
  })
}

function sweeps(open: OpenSessions): void {
  test('a sweep removes expired sessions, by either end, and nothing else', async (t) => {
    const sessions = await open(t)
    const cases: [idHash: string, ends: Partial<Session>, stays: boolean][] = [
      ['both ahead', { idleUntil: toTime(31), expiresAt: toTime(60) }, true],
      ['idle', { idleUntil: toTime(29), expiresAt: toTime(60) }, false],
      ['idle just now', { idleUntil: toTime(30), expiresAt: toTime(60) }, false],
      ['expired', { idleUntil: toTime(60), expiresAt: toTime(29) }, false],
      ['expired just now', { idleUntil: toTime(60), expiresAt: toTime(30) }, false],
      ['both over', { idleUntil: toTime(1), expiresAt: toTime(1) }, false],
    ]
    for (const [idHash, ends] of cases) await sessions.create(idHash, sessionOf(ends))
    await sessions.sweep(toTime(30))
    for (const [idHash, , stays] of cases) {
      assert.equal((await sessions.find(idHash)) !== undefined, stays, idHash)
    }
  })

  test('a sweep checks all of many sessions', async (t) => {
    const sessions = await open(t)
    const hashes = Array.from({ length: 350 }, (_, index) => `hash-${String(index)}`)
    for (const [index, idHash] of hashes.entries()) {
      await sessions.create(idHash, sessionOf({ idleUntil: toTime(index % 2 ? 10 : 50) }))
    }
    await sessions.sweep(toTime(30))
    for (const [index, idHash] of hashes.entries()) {
      assert.equal((await sessions.find(idHash)) === undefined, index % 2 === 1, idHash)
    }
  })
}

export function sessionOf(changes: Partial<Session> = {}): Session {
  return {
    userId: 'ann',
    passwordHash: '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA',
    createdAt: toTime(0),
    expiresAt: toTime(59),
    idleUntil: toTime(1),
    ...changes,
  }
}

function toTime(minute: number): string {
  return new Date(Date.UTC(year, 0, 1, 12, minute)).toISOString()
}
