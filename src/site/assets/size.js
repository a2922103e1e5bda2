// For browsers and the server.

/**
 * @param {number} bytes
 * @returns {string} in the shortest unit
 */
export function formatBytes(bytes) {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  let amount = bytes
  let unit = ''
  for (unit of ['KiB', 'MiB', 'GiB']) {
    amount /= 1024
    // An amount that would round to 1,024 is shown in the next unit.
    if (amount < 1023.95) break
  }
  return `${amount.toFixed(amount < 99.95 ? 1 : 0).replace(/\.0$/, '')} ${unit}`
}
