import * as zlib from 'node:zlib'
import { maxRecordedBytes } from '../http/recording.ts'
import { findField, type ExchangeBody, type Fields } from './exchange.ts'
import { mask } from './mask.ts'
import { maskBody } from './mask-body.ts'
import type { RecordedBytes } from './recorded.ts'

export function toExchangeBody(
  fields: Fields,
  recorded: RecordedBytes | undefined,
  toMasked = maskBody,
): ExchangeBody | undefined {
  if (recorded === undefined) return undefined
  const { bytes, size } = recorded
  const decoded = decode(bytes, findField(fields, 'content-encoding'))
  const isCut = bytes.length < size || decoded.length > maxRecordedBytes
  const kept = decoded.subarray(0, maxRecordedBytes)
  const type = findField(fields, 'content-type') ?? ''
  const text = findText(kept, isCut)
  if (text !== undefined) return { size, isCut, text: toMasked(type, text) }
  return { size, isCut, hex: maskBinary(type, kept, toMasked).toString('hex') }
}

/** More would block the other requests. */
const maxOutputLength = 1024 * 1024

const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH, ZSTD_e_flush } = zlib.constants
// The end of a body can be missing.
const toOptions = (finishFlush: number) => ({ finishFlush, maxOutputLength })
const gunzip = (bytes: Buffer) => zlib.gunzipSync(bytes, toOptions(Z_SYNC_FLUSH))
const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzip,
  // RFC 9110 §8.4.1.3
  'x-gzip': gunzip,
  deflate: (bytes) => zlib.inflateSync(bytes, toOptions(Z_SYNC_FLUSH)),
  br: (bytes) => zlib.brotliDecompressSync(bytes, toOptions(BROTLI_OPERATION_FLUSH)),
  zstd: (bytes) => zlib.zstdDecompressSync(bytes, toOptions(ZSTD_e_flush)),
}

/** As it is if it cannot be decoded. */
function decode(bytes: Buffer, coding = 'identity'): Buffer {
  try {
    return decoders[coding.toLowerCase()]?.(bytes) ?? bytes
  } catch {
    return bytes
  }
}

/** Undefined for bytes that are not UTF-8. The last character can be cut. */
export function findText(bytes: Buffer, isCut: boolean): string | undefined {
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

function maskBinary(type: string, bytes: Buffer, toMasked: typeof maskBody): Buffer {
  if (!/^$|^text|json|urlencoded|^(message|multipart)/i.test(type)) return bytes
  const masked = toMasked(type, bytes.toString('latin1')).replaceAll(mask, maskBytes)
  return Buffer.from(masked, 'latin1')
}
