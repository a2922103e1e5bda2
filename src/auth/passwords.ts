import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import createLimit from 'p-limit'
import { serviceUnavailable } from '../http/errors/http-error.ts'

// OWASP's password storage cheat sheet.
const memoryKiB = 19_456
const passes = 2
const lanes = 1
const saltBytes = 16
const hashBytes = 32
const parameters = `m=${String(memoryKiB)},t=${String(passes)},p=${String(lanes)}`

// Leaves threads of Node's pool of four to the files.
const limit = createLimit(2)
const maxWaiting = 32

const hashPattern = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z\d+/]{22})\$([A-Za-z\d+/]{43})$/

export function isPasswordHash(text: string): boolean {
  return hashPattern.test(text)
}

const derive = promisify(argon2)

/** In the PHC string format. Throws 503 if too many are waiting. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await deriveInTurn(password, salt)
  return `$argon2id$v=19$${parameters}$${toBase64(salt)}$${toBase64(hash)}`
}

/** Without `stored` it takes as long and resolves with false. Throws 503 if too many are waiting. */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  const [, salt, hash] = hashPattern.exec(stored ?? '') ?? []
  const expected = Buffer.from(hash ?? '', 'base64')
  const derived = await deriveInTurn(
    password,
    salt === undefined ? randomBytes(saltBytes) : Buffer.from(salt, 'base64'),
  )
  return expected.length === hashBytes && timingSafeEqual(derived, expected)
}

async function deriveInTurn(password: string, salt: Buffer): Promise<Buffer> {
  if (limit.pendingCount >= maxWaiting) {
    throw serviceUnavailable('Too many passwords are being checked.')
  }
  return limit(() =>
    derive('argon2id', {
      message: password,
      nonce: salt,
      memory: memoryKiB,
      passes,
      parallelism: lanes,
      tagLength: hashBytes,
    }),
  )
}

/** The PHC string format has no padding. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
