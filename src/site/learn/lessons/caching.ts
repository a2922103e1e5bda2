import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

// Too short to be compressed: the ETag is the same for browsers and for curl.
const path = '/assets/uploads.css'

export const caching: Lesson = {
  slug: 'caching',
  title: 'Caching and conditions',
  summary: 'How a client uses a stored response, and asks whether it is still current.',
  minutes: 6,
  introduction: [
    html`A cache stores responses and uses them again. <code>Cache-Control</code> states who can store a
response and for how long it is fresh (RFC 9111, section 5.2).`,
    html`When a stored response is no longer fresh, the cache asks the server whether it has changed. It
sends a <em>validator</em>: the <code>ETag</code> or the <code>Last-Modified</code> date of the stored
response.`,
  ],
  steps: [
    step('Get a file and its validators', `GET ${path}`, '', {
      why: html`The first response contains everything that a cache needs: the content, the rules for storing
it and the validators.`,
      lookFor: [
        html`<code>ETag</code> names this version of the file. It is an opaque string: only compare it.`,
        html`<code>Last-Modified</code> is the date of the file, with a precision of one second.`,
        html`<code>Cache-Control: private, no-cache</code> permits storing, except in shared caches. It requires
validation before each use. <code>no-store</code> forbids storing.`,
      ],
    }),
    step('Validate the stored file', `GET ${path}`, '', {
      why: html`<code>If-None-Match</code> contains the ETag of the stored response. The server sends the
content only if no ETag in the list matches (RFC 9110, section 13.1.2).`,
      headers: { 'If-None-Match': '"ETAG"' },
      lookFor: [
        html`The response is 304 Not Modified and has no body. The client uses the stored file.`,
        html`The 304 repeats <code>ETag</code> and <code>Cache-Control</code>, so that the cache can update
the stored response.`,
        html`Reload <a href="/docs">/docs</a> and open its request inspector: the browser does the same.`,
      ],
      withoutScript: html`Open <a href="${path}">${path}</a> and reload it. The browser sends the
condition. To see it, use the curl command.`,
    }),
    step('Validate an outdated file', `GET ${path}`, '', {
      why: html`When the file has changed, the ETag in the condition no longer matches. One request then both
detects the change and gets the new content.`,
      headers: { 'If-None-Match': '"an old version"' },
      lookFor: [
        html`The response is 200 OK with the whole file and the current <code>ETag</code>.`,
      ],
      withoutScript: html`A link cannot set <code>If-None-Match</code>. Use the curl command.`,
    }),
    step('Use a fresh response', 'GET /responses/cache/my-lesson', 'responses', {
      why: html`While a stored response is fresh, a cache uses it without a request to the server.`,
      fields: { max_age: '60' },
      lookFor: [
        html`<code>Cache-Control: max-age=60</code> lets a cache use the response for a minute.`,
        html`<code>made</code> in the body counts the responses of the server. The button and curl do not use a
cache: send the request again, and <code>made</code> is 2.`,
        html`Open <a href="/responses/cache/lesson?max_age=60">a link to such a response</a>, go back and open
it again. The number is the same: the browser has sent one request. The number counts the requests of all visitors.`,
      ],
    }),
  ],
}
