import { createHash } from 'node:crypto'

// RFC 9530 appendix B.1: the object is followed by a line feed.
export const example = '{"hello": "world"}\n'
export const sha256 = 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:'
// RFC 9530 §2
export const sha512 =
  'sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:'
// RFC 9530 appendix B.2
export const ofNothing = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'

export function toField(algorithm: 'sha-256' | 'sha-512', content: string | Buffer): string {
  const digest = createHash(algorithm.replace('-', '')).update(content).digest('base64')
  return `${algorithm}=:${digest}:`
}
