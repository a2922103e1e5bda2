/** Version ff is invalid, 00 ends after the flags, and an id of zeros is invalid (W3C Trace Context, §3.2). */
const pattern =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/

export function parseTraceparent(text: string): { traceId: string; parentId: string } | undefined {
  const [, traceId, parentId] = pattern.exec(text) ?? []
  return traceId && parentId ? { traceId, parentId } : undefined
}
