import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { registerSecret } from '../../http/security/own-secrets.ts'

registerSecret(
  /(?:v|%(?:25)*[57]6)(?:b|%(?:25)*[46]2)(?:s|%(?:25)*[57]3)(?:_|%(?:25)*5f)(?:[\w-]|%(?:25)*(?:2d|3\d|[46][1-9a-f]|[57][\da]|5f)){32}/gi,
  36,
  'vbs_***',
)

const timeLength = 7
export const binIdLength = 27
const binId = /^[0-9a-z]{7}[\w-]{20}$/

/** Starts with the time of its end, so that an old id is known to be of a bin that is gone. */
export function createBinId(expiresAt: Date): string {
  const seconds = Math.ceil(expiresAt.getTime() / 1000)
  return seconds.toString(36).padStart(timeLength, '0') + randomBytes(15).toString('base64url')
}

export function toExpiry(id: string): Date | undefined {
  return binId.test(id) ? new Date(parseInt(id.slice(0, timeLength), 36) * 1000) : undefined
}

export function isExpired(id: string): boolean {
  return (toExpiry(id)?.getTime() ?? Infinity) <= Date.now()
}

const requestId = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** The time in the id; undefined if it is not the id of a request. */
export function requestIdToTime(id: string): string | undefined {
  if (!requestId.test(id)) return undefined
  return new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString()
}

export const createSecret = () => `vbs_${randomBytes(24).toString('base64url')}`

export const hashSecret = (secret: string) => hash('sha256', secret)

/** Opens this request only. Like the secret of a bin, it is masked wherever it is received. */
export const hashRequestSecret = (secretHash: string, id: string) =>
  `vbs_${createHmac('sha256', secretHash).update(id).digest('base64url').slice(0, 32)}`

export function isSecretOf(secretHash: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(secretHash))
}
