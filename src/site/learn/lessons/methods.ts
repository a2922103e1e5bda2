import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

export const methods: Lesson = {
  slug: 'methods',
  title: 'Methods and safety',
  summary: 'What a method promises, and why clients can repeat some requests.',
  minutes: 5,
  introduction: [
    html`The first word of a request is its method. It states what the client wants to do with the
resource at the URL.`,
    html`RFC 9110 defines two promises. A <em>safe</em> method only reads (section 9.2.1). An
<em>idempotent</em> method has the same effect if it is sent once or several times (section 9.2.2).
Browsers, caches and proxies rely on both.`,
  ],
  steps: [
    step('Read the list with GET', 'GET /locations', 'locations', {
      why: html`GET is safe. A browser can prefetch it, a crawler can follow it, and a cache can store
the response.`,
      headers: { Accept: 'application/json' },
      lookFor: [
        html`The request has no body. The URL alone identifies the resource.`,
        html`<code>Cache-Control</code> and <code>ETag</code> tell caches how to store the response.`,
        html`Send it again. Nothing on the server changes.`,
      ],
    }),
    step('Create a location with PUT', 'PUT /locations/my-lesson', 'locations', {
      why: html`PUT stores the body under the URL that the client chose. It is not safe, because it
changes the resource. It is idempotent, because the second request leaves the same state as the first.`,
      headers: { Accept: 'application/json' },
      fields: { name: 'Pier', note: 'by the water' },
      lookFor: [
        html`The first response is 201 Created. <code>Location</code> contains the URL of the new record.`,
        html`Send it again. The response is 200 OK, and there is still one record.`,
        html`A client that received no response can repeat a PUT request. It cannot repeat a POST request
without the risk of a second record.`,
      ],
    }),
    step('Delete the location', 'DELETE /locations/my-lesson', 'locations', {
      why: html`DELETE is idempotent too. The promise concerns the state of the server, not the status
code.`,
      headers: { Accept: 'application/json' },
      lookFor: [
        html`The first response is 200 OK.`,
        html`Send it again. The response is 404 Not Found, and the state is the same: the record does not
exist.`,
        html`HTML forms can send only GET and POST. Without JavaScript, this button sends POST with the
field <code>_method=DELETE</code>, which the service treats as DELETE.`,
      ],
    }),
  ],
}
