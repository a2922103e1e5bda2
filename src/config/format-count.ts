const exact = { maximumFractionDigits: 20 }

export function formatNumber(value: number, options: Intl.NumberFormatOptions = exact): string {
  // The first use of Intl takes 11 ms and 5 MB, and every start formats whole numbers.
  if (options === exact && Number.isSafeInteger(value))
    return String(value)
      .replace(/\B(?=(\d{3})+$)/g, ',')
      .replace('-', '−')
  return value.toLocaleString('en', options).replace('-', '−')
}

export const formatMebibytes = (bytes: number) => `${formatNumber(bytes / 1024 ** 2)} MiB`

export function formatRange(least?: number, most?: number): string {
  if (least === undefined) return most === undefined ? '' : `up to ${formatNumber(most)}`
  const from = formatNumber(least)
  return most === undefined ? `at least ${from}` : `${from} to ${formatNumber(most)}`
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
