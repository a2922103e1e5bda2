import type { TestContext } from 'node:test'

export interface ReceivedEvent {
  name: string
  id: string
  value: unknown
}

/** A client of server-sent events. It remembers the last id, as browsers do. */
export async function openEvents(
  t: TestContext,
  url: string,
  given:
    string | { lastId?: string | undefined; authorization?: string; 'x-inspector'?: string } = '',
) {
  const { lastId, ...own } = typeof given === 'string' ? { lastId: given || undefined } : given
  const closing = new AbortController()
  const close = () => {
    closing.abort()
  }
  t.after(close)
  const headers = {
    accept: 'text/event-stream',
    ...(lastId !== undefined && { 'last-event-id': lastId }),
    ...own,
  }
  const response = await fetch(url, { headers, signal: closing.signal })
  const blocks = readBlocks(response)
  let id = lastId ?? ''
  /** The next event; undefined at the end of the stream. Other blocks have no data. */
  const next = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const { done, value: block } = await blocks.next()
      if (done === true) return undefined
      id = /^id: (.*)$/m.exec(block)?.[1] ?? id
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      const [, name = ''] = /^event: (.*)$/m.exec(block) ?? []
      if (data !== undefined) return { name, id, value: JSON.parse(data) as unknown }
    }
  }
  const take = async (count: number) => {
    const events: (ReceivedEvent | undefined)[] = []
    while (events.length < count) events.push(await next())
    return events
  }
  // With its id, which a client that is cut off needs.
  const first = response.ok ? await blocks.next() : undefined
  id = /^id: (.*)$/m.exec(first?.value ?? '')?.[1] ?? id
  return { response, next, take, close, lastId: () => id }
}

/** The texts between empty lines. */
async function* readBlocks({ body }: Response): AsyncGenerator<string, undefined> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      yield* blocks
    }
  } catch (error) {
    // The service was killed, or the test closed the stream.
    if (!(error instanceof Error)) throw error
  }
  return undefined
}
