const units = ['KiB', 'MiB', 'GiB'] as const

/** `upload.js` formats the size of a file to be sent alike. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${String(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`
  let amount = bytes
  let unit = ''
  for (unit of units) {
    amount /= 1024
    // An amount that would round to 1,024 is shown in the next unit.
    if (amount < 1023.95) break
  }
  return `${amount.toFixed(amount < 99.95 ? 1 : 0).replace(/\.0$/, '')} ${unit}`
}
