interface Trace {
  traceId: string
  parentId: string
}

const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/

/**
 * The trace of a request; undefined for an invalid header. A later version may append more
 * (https://www.w3.org/TR/trace-context-1/#traceparent-header).
 */
export function parseTraceparent(text: string): Trace | undefined {
  const [, version, traceId = '', parentId = '', more] = pattern.exec(text) ?? []
  if (version === undefined || version === 'ff') return undefined
  if (version === '00' && more !== undefined) return undefined
  const isZero = /^0+$/
  return isZero.test(traceId) || isZero.test(parentId) ? undefined : { traceId, parentId }
}
