import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

// Too short to be compressed: the ETag is the same for browsers and for curl.
const path = '/assets/uploads.css'

export const caching: Lesson = {
  slug: 'caching',
  title: 'Caching and conditions',
  summary: 'How a client uses a stored response, and asks whether it is still current.',
  minutes: 5,
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
        html`This page itself has <code>Cache-Control: public, max-age=3600</code>. For an hour, a browser
or a shared cache can use it without asking the server.`,
      ],
      withoutScript: html`A link cannot set <code>If-None-Match</code>. Use the curl command.`,
    }),
  ],
}
