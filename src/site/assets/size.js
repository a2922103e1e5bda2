// For browsers and the server: amounts in their units.

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

/**
 * @param {number} ms
 * @returns {string} with about three digits, as in `0.52 ms`, `340 ms` and `1.24 s`
 */
export function formatDuration(ms) {
  if (ms >= 999.5) return `${(ms / 1000).toFixed(ms < 99_995 ? 2 : 0)} s`
  return `${ms.toFixed(ms < 9.95 ? 2 : ms < 99.95 ? 1 : 0)} ms`
}
