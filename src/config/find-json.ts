/** Undefined for a text that is not JSON: the message of the error would repeat a part of it. */
export function findJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
