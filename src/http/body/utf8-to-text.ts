import { isUtf8 } from 'node:buffer'

export const toReplacement: (byte: number) => string = () => '\ufffd'

export function decodePercent(text: string): Buffer {
  const toUnit = (_: string, digits: string) => String.fromCharCode(parseInt(digits, 16))
  return Buffer.from(text.replaceAll(/%([\da-f]{2})/gi, toUnit), 'latin1')
}

export function utf8ToText(bytes: Buffer, toText = toReplacement): string {
  if (isUtf8(bytes)) return bytes.toString()
  let text = ''
  let start = 0
  for (let index = 0; index < bytes.length;) {
    const length = countBytes(bytes, index)
    index += length || 1
    if (length > 0) continue
    if (start < index - 1) text += bytes.toString('utf8', start, index - 1)
    text += toText(bytes[index - 1] ?? 0)
    start = index
  }
  return text + bytes.toString('utf8', start)
}

/** The length of the character at the index, by its first byte (RFC 3629 §4); 0 if none begins there. */
function countBytes(bytes: Buffer, index: number): number {
  const first = bytes[index] ?? 0
  if (first < 0x80) return 1
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return first >= 0xc2 && isUtf8(bytes.subarray(index, index + length)) ? length : 0
}
