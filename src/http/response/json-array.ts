export async function* toJsonArray<Item>(
  pages: AsyncIterable<readonly Item[]>,
  toValue: (item: Item) => unknown,
): AsyncGenerator<string> {
  let separator = '['
  for await (const page of pages) {
    if (page.length === 0) continue
    yield separator + page.map((item) => JSON.stringify(toValue(item))).join(',\n')
    separator = ',\n'
  }
  yield separator === '[' ? '[]' : ']'
}
