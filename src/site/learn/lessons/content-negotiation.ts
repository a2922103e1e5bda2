import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

export const contentNegotiation: Lesson = {
  slug: 'content-negotiation',
  title: 'Content negotiation',
  summary: 'One URL, several representations: the client states which it prefers.',
  minutes: 4,
  introduction: [
    html`A resource can have several representations. This list of locations is available as a page, JSON,
text, CSV and NDJSON, all at the URL <code>/locations</code>.`,
    html`The client lists the media types that it accepts in <code>Accept</code>. The server chooses one and
names it in <code>Content-Type</code> (RFC 9110, section 12.5.1).`,
  ],
  steps: [
    step('Ask for JSON', 'GET /locations', 'locations', {
      why: html`A browser asks for a page first. A program asks for the format that it can parse.`,
      headers: { Accept: 'application/json' },
      lookFor: [
        html`<code>Content-Type</code> in the response is <code>application/json</code>.`,
        html`<code>Vary</code> contains <code>Accept</code>. A cache must not send this response to a client
that asks for another media type (RFC 9110, section 12.5.5).`,
        html`<code>ETag</code> identifies this representation. The page at the same URL has another one.`,
      ],
      withoutScript: html`A link cannot set <code>Accept</code>. The suffix selects the same representation:
<a href="/locations.json">/locations.json</a>.`,
    }),
    step('State a preference', 'GET /locations', 'locations', {
      why: html`A weight <code>q</code> from 0 to 1 orders the alternatives. A media type without a weight has
1. The server chooses the acceptable type with the highest weight.`,
      headers: { Accept: 'application/json;q=0.5, text/csv' },
      lookFor: [
        html`The response is CSV, although JSON comes first in <code>Accept</code>. The weight decides, not
the order.`,
        html`Change the weight of <code>text/csv</code> to 0.4 in the curl command. The response is JSON.`,
      ],
      withoutScript: html`A link cannot set <code>Accept</code>. The suffix selects the same representation:
<a href="/locations.csv">/locations.csv</a>.`,
    }),
    step('Ask for something that is not available', 'GET /locations', 'locations', {
      why: html`If no representation is acceptable, the server can respond with 406 Not Acceptable or ignore
<code>Accept</code>. This service responds with 406.`,
      headers: { Accept: 'image/png' },
      lookFor: [
        html`The body lists the available media types, so that the client can choose one.`,
        html`When you open a URL, the browser adds <code>*/*;q=0.8</code> to <code>Accept</code>, so it never gets 406.`,
      ],
      withoutScript: html`A link cannot set <code>Accept</code>. Use the curl command.`,
    }),
  ],
}
