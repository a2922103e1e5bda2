/** Longer ones than any number needs are text, and are not looked at. */
const maxLength = 64

// No run of digits can be split in two ways, so that a long one takes no longer to be refused.
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** Whether the text is a decimal number as people and programs write it. */
export function isDecimal(text: string): boolean {
  return text.length <= maxLength && decimal.test(text)
}
