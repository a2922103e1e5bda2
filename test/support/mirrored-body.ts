import { sendBothWays } from './request-both-ways.ts'
import type { testApp } from './test-app.ts'

/** Sends a body to the mirror; gives the status code and, if it was parsed, the body in the handler. */
export async function sendToMirror(
  app: Awaited<ReturnType<typeof testApp>>,
  type: string | undefined,
  body: string | Buffer,
  more = {},
) {
  const headers = { ...(type !== undefined && { 'content-type': type }), ...more }
  const response = await sendBothWays(app, { method: 'POST', path: '/mirror', headers, body })
  return [response.status, response.headers['x-body']]
}
