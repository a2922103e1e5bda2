import { createCipheriv, hash, randomBytes } from 'node:crypto'

/** With a seed, the key stream of a cipher: it starts alike for every size. */
export function toRandomBytes(size: number, seed: number | undefined): Buffer {
  if (seed === undefined) return randomBytes(size)
  const key = hash('md5', String(seed), 'buffer')
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}
