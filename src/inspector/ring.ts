/** The latest items, within a number and a size. The oldest are dropped. */
export function createRing<Item extends { bytes: number }>(maxItems: number, maxBytes: number) {
  const slots: (Item | undefined)[] = []
  let first = 0
  let next = 0
  let bytes = 0
  const dropFirst = () => {
    const slot = first % maxItems
    bytes -= slots[slot]?.bytes ?? 0
    slots[slot] = undefined
    first += 1
  }
  const reserve = (added: number): boolean => {
    bytes += added
    while (bytes > maxBytes && first < next) dropFirst()
    if (bytes <= maxBytes) return true
    bytes -= added
    return false
  }
  return {
    /** Counts bytes that are not of an item yet. False if they do not fit. */
    reserve,
    release: (reserved: number) => {
      bytes -= reserved
    },
    add: (item: Item) => {
      if (next - first === maxItems) dropFirst()
      if (!reserve(item.bytes)) return
      slots[next % maxItems] = item
      next += 1
    },
    remove: (isRemoved: (item: Item) => boolean) => {
      for (const [slot, item] of slots.entries()) {
        if (item === undefined || !isRemoved(item)) continue
        bytes -= item.bytes
        slots[slot] = undefined
      }
    },
    list: () => slots.filter((item) => item !== undefined),
    /** At most the latest `limit` of the items that were added as number `from` or later. */
    readFrom: (from = next, limit = maxItems) => {
      const start = Math.max(from, first, next - limit)
      const numbers = Array.from({ length: Math.max(next - start, 0) }, (_, index) => start + index)
      const items = numbers.flatMap((number) => slots[number % maxItems] ?? [])
      return { items, next, missed: Math.max(start - from, 0) }
    },
  }
}
