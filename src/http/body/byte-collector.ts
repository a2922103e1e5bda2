/**
 * One buffer that doubles: memory follows the bytes that arrived, and not the number of chunks,
 * whose objects take a hundred times more than the one byte that each may hold.
 */
export function createByteCollector() {
  let buffer = Buffer.alloc(0)
  let size = 0
  return {
    add: (chunk: Buffer): void => {
      if (size + chunk.length > buffer.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, size + chunk.length, 1024))
        buffer.copy(grown, 0, 0, size)
        buffer = grown
      }
      size += chunk.copy(buffer, size)
    },
    toBuffer: () => buffer.subarray(0, size),
  }
}
