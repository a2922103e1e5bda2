// Unambiguous, so that matching takes linear time.
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

export function isDecimal(text: string): boolean {
  return text.length <= 64 && decimal.test(text)
}
