const mask = '••••••'

/** The value of a header field as it may be shown: who one is stays on the wire. */
export function toShown(name: string, value: string): string {
  switch (name.toLowerCase()) {
    case 'cookie':
      return value.replace(/=[^;]*/g, `=${mask}`)
    case 'set-cookie':
      return value.replace(/^([^=;]*)=[^;]*/, `$1=${mask}`)
    case 'authorization':
    case 'proxy-authorization':
      return value.replace(/^(\S+)?.*$/s, `$1 ${mask}`)
    default:
      return value
  }
}
