const exact = { maximumFractionDigits: 20 }

export function formatNumber(value: number, options: Intl.NumberFormatOptions = exact): string {
  return value.toLocaleString('en', options).replace('-', '−')
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
