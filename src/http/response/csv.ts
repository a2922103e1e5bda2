import { isDecimal } from '../request/parameters.ts'

export function toCsvLine(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: string | number = ''): string {
  const text = typeof value === 'string' ? escapeFormula(value) : String(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet would run a formula: an apostrophe makes it text (OWASP, CSV Injection). */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !isDecimal(text) ? `'${text}` : text
}
