import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

// OWASP's password storage cheat sheet: argon2id with 19 MiB, two passes, one lane.
const memoryKiB = 19_456
const passes = 2
const lanes = 1
const derive = promisify(argon2)

/** The password as argon2id in the PHC string format. Runs on Node's thread pool. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive('argon2id', {
    message: password,
    nonce: salt,
    memory: memoryKiB,
    passes,
    parallelism: lanes,
    tagLength: 32,
  })
  const parameters = `m=${String(memoryKiB)},t=${String(passes)},p=${String(lanes)}`
  return `$argon2id$v=19$${parameters}$${toBase64(salt)}$${toBase64(hash)}`
}

/** The PHC string format leaves the padding out. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
