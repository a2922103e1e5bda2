import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

export const formsAndBodies: Lesson = {
  slug: 'forms-and-bodies',
  title: 'Forms and bodies',
  summary: 'Where the fields of a form go, and how the server knows their format.',
  minutes: 6,
  introduction: [
    html`A client can send data in two places: in the query string of the URL, or in the body.`,
    html`A body is a sequence of bytes. <code>Content-Type</code> states its format, and
<code>Content-Length</code> its size (RFC 9110, sections 8.3 and 8.6).`,
  ],
  steps: [
    step('Send a field in the query string', 'GET /topic', 'topic', {
      why: html`A form with <code>method="get"</code> adds its fields to the URL. Use it for searches and
filters: the result can be bookmarked and shared.`,
      fields: { a: 'glass & brass' },
      lookFor: [
        html`The request line contains <code>a=glass+%26+brass</code>. A space becomes <code>+</code>, and
<code>&amp;</code> becomes <code>%26</code>, because <code>&amp;</code> separates fields.`,
        html`The request has no body and no <code>Content-Type</code>.`,
        html`URLs are stored in histories and logs. Do not send secrets in them.`,
      ],
    }),
    step('Send the field in a form body', 'POST /toc/aaa', 'toc', {
      why: html`A form with <code>method="post"</code> sends its fields in the body. Use it for requests
that change something, and for long or secret values.`,
      fields: { a: 'glass & brass' },
      lookFor: [
        html`The URL has no query string.`,
        html`<code>Content-Type</code> is <code>application/x-www-form-urlencoded</code>. The encoding of the
fields is the same as in the query string.`,
        html`<code>Content-Length</code> counts the encoded bytes: 17 for <code>a=glass+%26+brass</code>.`,
      ],
    }),
    step('Send JSON', 'POST /users/post', 'bodies', {
      why: html`Forms send names and text only. JSON (RFC 8259) also has numbers, lists and objects, so most
APIs use it.`,
      headers: { 'Content-Type': 'application/json' },
      fields: { color: 'green', size: 'large' },
      lookFor: [
        html`<code>Content-Type</code> is <code>application/json</code>. The server chooses the parser by this
header, not by the content.`,
        html`JSON is UTF-8. The media type needs no <code>charset</code>.`,
      ],
      withoutScript: html`A form cannot send JSON. Use the curl command.`,
    }),
    step('Upload a file', 'POST /profile', 'uploads', {
      why: html`A form with a file field and <code>enctype="multipart/form-data"</code> sends the file with its
name and its type. Choose a small file. The curl command sends <code>file.txt</code> of the current folder: create
it first. All visitors can download what you upload.`,
      file: 'upfiles',
      lookFor: [
        html`<code>Content-Type</code> is <code>multipart/form-data</code> (RFC 7578). <code>boundary</code> separates
the parts.`,
        html`Each part has its own headers: <code>Content-Disposition</code> has the name of the field and of the
file, and <code>Content-Type</code> the type of the file.`,
        html`The bytes of the file are sent as they are, without an encoding.`,
      ],
    }),
  ],
}
