import { maxRecordedBytes } from '../config/limits.ts'
import { decodeRecorded } from '../http/body/decode-content.ts'
import { findField, mask, type ExchangeBody, type Fields } from './exchange.ts'

export interface RecordedBytes {
  bytes: Buffer
  size: number
}

type Mask = (type: string, text: string) => string

/** Returns the body without its content coding. Without `toMasked` nothing is masked. */
export async function toExchangeBody(
  fields: Fields,
  recorded: RecordedBytes | undefined,
  toMasked?: Mask,
): Promise<ExchangeBody | undefined> {
  if (recorded === undefined) return undefined
  const { bytes, size } = recorded
  const decoded = await decodeRecorded(bytes, toCodings(fields), maxRecordedBytes + 1)
  const content = decoded ?? bytes
  const isCut = bytes.length < size || content.length > maxRecordedBytes
  const kept = content.subarray(0, maxRecordedBytes)
  const type = findField(fields, 'content-type') ?? ''
  const body = bytesToBody(kept, { size, isCut })
  if (toMasked === undefined) return body
  if ('text' in body) return { ...body, text: toMasked(type, body.text) }
  // A reader who knows the coding would find its secrets.
  if (decoded === undefined) return { size, isCut, text: mask }
  return { size, isCut, hex: maskBinary(type, kept, toMasked).toString('hex') }
}

export function toCodings(fields: Fields): string {
  const codings = fields.filter(([name]) => name.toLowerCase() === 'content-encoding')
  return codings.map(([, value]) => value).join(', ')
}

export function bytesToBody(bytes: Buffer, { size, isCut }: Omit<ExchangeBody, 'text' | 'hex'>) {
  const text = findText(bytes, isCut)
  return { size, isCut, ...(text === undefined ? { hex: bytes.toString('hex') } : { text }) }
}

/** Undefined if the bytes are not UTF-8. The last character can be cut. */
function findText(bytes: Buffer, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: isCut,
    })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

const maskBytes = Buffer.from(mask).toString('latin1')

function maskBinary(type: string, bytes: Buffer, toMasked: Mask): Buffer {
  if (!/^$|^text|json|urlencoded|^(message|multipart)/i.test(type)) return bytes
  const masked = toMasked(type, bytes.toString('latin1')).replaceAll(mask, maskBytes)
  return Buffer.from(masked, 'latin1')
}
