export function formatNumber(count: number): string {
  return count.toLocaleString('en')
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
