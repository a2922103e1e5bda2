import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import createLimit from 'p-limit'
import { maxHashedPasswords, maxWaitingPasswords } from '../config/limits.ts'
import { serviceUnavailable } from '../http/errors/http-error.ts'

// OWASP's password storage cheat sheet.
const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const prefix = '$argon2id$v=19$m=19456,t=2,p=1$'
const saltBytes = 16
const hashPattern = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z\d+/]{22})\$([A-Za-z\d+/]{43})$/

const limitHashing = createLimit(maxHashedPasswords)

const deriveKey = promisify(argon2)

/** Beside each input of a password. */
export const passwordNote = 'This is a demonstration: do not use a real password.'

export const isPasswordHash = (text: string): boolean => hashPattern.test(text)

/** The hash has the PHC string format. Throws 503 if too many are waiting. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt)
  return prefix + [salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, '')).join('$')
}

/** Resolves with false after the same time if nothing is stored. Throws 503 if too many are waiting. */
export async function verifyPassword(password: string, stored?: string): Promise<boolean> {
  const [, salt, hash] = hashPattern.exec(stored ?? '') ?? []
  const nonce = salt === undefined ? randomBytes(saltBytes) : Buffer.from(salt, 'base64')
  const derived = await derive(password, nonce)
  return hash !== undefined && timingSafeEqual(derived, Buffer.from(hash, 'base64'))
}

async function derive(message: string, nonce: Buffer): Promise<Buffer> {
  if (limitHashing.pendingCount >= maxWaitingPasswords) {
    throw serviceUnavailable(
      `${String(maxWaitingPasswords)} passwords wait to be hashed, the maximum.`,
    )
  }
  return limitHashing(() => deriveKey('argon2id', { message, nonce, ...parameters }))
}
