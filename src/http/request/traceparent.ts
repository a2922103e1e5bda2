interface Trace {
  traceId: string
  parentId: string
}

const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/

/**
 * Which trace a request belongs to, by its `traceparent`; undefined where there is none that can be
 * used (https://www.w3.org/TR/trace-context-1/#traceparent-header). A version of the future may say
 * more behind what is known.
 */
export function parseTraceparent(text: string): Trace | undefined {
  const [, version, traceId = '', parentId = '', more] = pattern.exec(text) ?? []
  if (version === undefined || version === 'ff') return undefined
  if (version === '00' && more !== undefined) return undefined
  const isZero = /^0+$/
  return isZero.test(traceId) || isZero.test(parentId) ? undefined : { traceId, parentId }
}
