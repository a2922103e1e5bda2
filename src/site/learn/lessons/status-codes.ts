import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

export const statusCodes: Lesson = {
  slug: 'status-codes',
  title: 'Status codes and redirects',
  summary: 'What the three digits mean, and what a browser does with them.',
  minutes: 4,
  introduction: [
    html`Each response has a status code of three digits. The first digit is the class: 2 is success, 3
is redirection, 4 is an error of the client, and 5 is an error of the server (RFC 9110, section 15).`,
    html`A client that does not know a status code treats it as <var>x</var>00 of its class. For example,
it treats 418 as 400.`,
  ],
  steps: [
    step('Follow a redirect', 'GET /status/302', 'status', {
      why: html`A 3xx response with <code>Location</code> asks the client to request another URL. A browser
follows it without asking.`,
      curlFlags: ['-L'],
      lookFor: [
        html`There are two exchanges. The first response is 302 Found with <code>Location: /status/200</code>.
The second response is 200 OK.`,
        html`302 and 303 lead to a GET request. 307 and 308 repeat the method and the body.`,
        html`301 and 308 are permanent: browsers store them. Use 302 or 307 until you are sure.`,
      ],
    }),
    step('Request something that does not exist', 'GET /status/404', 'status', {
      why: html`A 4xx response means that this request cannot succeed as it is. The client has to change it.`,
      lookFor: [
        html`The response has a body, although it is an error. A person reads the body, a program reads the
status code.`,
        html`<code>fetch()</code> does not fail on 404. Check <code>response.ok</code> in scripts.`,
        html`404 means that the resource does not exist, 403 that the client may not use it, and 401 that the
client has to authenticate first.`,
      ],
    }),
    step('Request a service that is overloaded', 'GET /status/503', 'status', {
      why: html`A 5xx response means that the server failed, although the request may be correct. A client can
send an idempotent request again later.`,
      lookFor: [
        html`<code>Retry-After</code> is the number of seconds to wait (RFC 9110, section 10.2.3).`,
        html`A client that ignores it and repeats at once makes the overload worse.`,
        html`<a href="/problems">Problems</a> lists the errors of this service and how to fix each request.`,
      ],
    }),
  ],
}
