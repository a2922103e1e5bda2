import got from 'got'
import { Agent, RetryAgent, request } from 'undici'

/** Returns what a user of the client sees: a status code, or the name of an error. */
export type Client = (url: string) => Promise<string>

const timeoutMs = 4000

export interface Scenario {
  title: string
  /** The JSON description of a sequence, without its last step: 200. */
  steps: readonly Readonly<Record<string, unknown>>[]
}

const twice = (step: Readonly<Record<string, unknown>>) => [{ ...step, times: 2 }]
const failTwice = (fault: string) => ({ title: `\`${fault}\``, steps: twice({ fault }) })

export const scenarios: readonly Scenario[] = [
  { title: '503', steps: twice({ status: 503 }) },
  {
    title: '503 with `Retry-After: 1`',
    steps: twice({ status: 503, headers: { 'Retry-After': '1' } }),
  },
  {
    title: '429 with `Retry-After: 1`',
    steps: twice({ status: 429, headers: { 'Retry-After': '1' } }),
  },
  { title: '500', steps: twice({ status: 500 }) },
  ...[
    ...['reset-before-head', 'close-before-head', 'reset-in-head', 'reset-in-body'],
    ...['short-body', 'bad-chunk', 'garbage', 'duplicate-length'],
  ].map(failTwice),
  { title: '`endless-body`', steps: twice({ fault: 'endless-body', body: 'a'.repeat(1000) }) },
  { title: '`slow-head` of 2 seconds', steps: twice({ fault: 'slow-head', seconds: 2 }) },
  { title: '`stall` of 8 seconds', steps: twice({ fault: 'stall', seconds: 8, body: 'abcd' }) },
  { title: '`delay` of 8 seconds', steps: twice({ delay: 8 }) },
]

/** Sends requests until the client gives up. Returns the outcome, and the number of requests. */
export async function observe(
  origin: string,
  client: Client,
  { steps }: Scenario,
): Promise<{ outcome: string; requests: number }> {
  const key = `client-${crypto.randomUUID().slice(0, 18)}`
  const description = JSON.stringify({ sequence: [...steps, { status: 200, body: 'done\n' }] })
  const url = `${origin}/responses/sequence/${key}`
  const outcome = await client(`${url}?${new URLSearchParams({ description }).toString()}`)
  const state = (await (await fetch(`${url}/state`)).json()) as { requests: number }
  return { outcome, requests: state.requests }
}

/** With retries as their documentation recommends, and without a wait longer than the service asks for. */
export const npmClients: Readonly<Record<string, Client>> = {
  'fetch of Node.js': (url) =>
    toOutcome(async () => {
      const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
      await response.text()
      return response.status
    }),
  'undici RetryAgent': (url) =>
    toOutcome(async () => {
      const options = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
      const agent = new RetryAgent(new Agent(options), { maxRetries: 3, minTimeout: 10 })
      try {
        const { statusCode, body } = await request(url, { dispatcher: agent })
        await body.text()
        return statusCode
      } finally {
        await agent.close()
      }
    }),
  got: (url) =>
    toOutcome(async () => {
      const retry = { limit: 3, backoffLimit: 10 }
      const timeout = { response: timeoutMs }
      const { statusCode } = await got(url, { retry, timeout, throwHttpErrors: false })
      return statusCode
    }),
}

async function toOutcome(send: () => Promise<number>): Promise<string> {
  try {
    return String(await send())
  } catch (error) {
    return toErrorName(error)
  }
}

/** The most specific code in a chain of causes. */
function toErrorName(error: unknown): string {
  const { cause, code, name, statusCode } = Object(error) as Record<string, unknown>
  if (typeof statusCode === 'number') return String(statusCode)
  if (cause !== undefined) return toErrorName(cause)
  return typeof code === 'string' ? code : String(name)
}
