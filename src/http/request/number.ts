export function isDecimal(text: string): boolean {
  // The pattern is unambiguous, so that matching takes linear time.
  return text.length <= 64 && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
}
