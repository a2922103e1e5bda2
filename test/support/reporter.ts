import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

/** Node's own report, followed by the number of skipped tests for each reason. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator {
  const counts = new Map<string, number>()
  async function* noteSkips() {
    for await (const event of events) {
      const reason = event.type === 'test:pass' && event.data.skip
      if (typeof reason === 'string') counts.set(reason, (counts.get(reason) ?? 0) + 1)
      yield event
    }
  }
  yield* Readable.from(noteSkips()).compose(new spec())
  for (const [reason, count] of counts) yield `Skipped ${String(count)}: ${reason}.\n`
}
