/** Text that is not percent-encoded correctly stays as it is. */
export function decodeLoosely(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
