import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

const headers = { Accept: 'application/json' }
const conditional = {
  'Content-Type': 'application/json',
  'If-Match': '"ETAG"',
  Prefer: 'return=representation',
}

export const concurrentEdits: Lesson = {
  slug: 'concurrent-edits',
  title: 'Concurrent edits',
  summary: 'Two people edit the same record: how the server protects the first change.',
  minutes: 5,
  introduction: [
    html`Ann and Ben open the same record. Ann saves her change. Ben saves his, which is based on what he
read before. Without a check, the change of Ann is lost. This is the <em>lost update</em> problem.`,
    html`HTTP solves it without locks. Each client states in <code>If-Match</code> which version it has read.
The server changes the record only if this is still the current version (RFC 9110, section 13.1.1).`,
  ],
  steps: [
    step('Create a record and read its version', 'POST /locations', 'locations', {
      why: html`POST sends the fields to the list, and the server chooses the URL of the new record.`,
      headers,
      fields: { name: 'Pier' },
      lookFor: [
        html`The response is 201 Created. <code>Location</code> contains the URL of the record: the
<code>ID</code> in the next requests is its last segment.`,
        html`<code>ETag</code> names the first version of the record.`,
      ],
    }),
    step('Save the change of Ann', 'PATCH /locations/ID', 'locations', {
      why: html`Ann has read the first version. Her request has the ETag of this version as its condition.`,
      headers: conditional,
      fields: { name: 'Long pier' },
      lookFor: [
        html`The response is 200 OK: the version in <code>If-Match</code> was current.`,
        html`<code>ETag</code> in the response is different. It names the second version.`,
        html`<code>Prefer: return=representation</code> asks for the changed record in the response (RFC 7240,
section 4.2).`,
      ],
      withoutScript: html`Open the record that you created, open its Edit page in two tabs, and save the
first tab.`,
    }),
    step('Save the change of Ben', 'PATCH /locations/ID', 'locations', {
      why: html`Ben has read the first version too, and sends the same condition. Meanwhile there is a second
version.`,
      headers: conditional,
      fields: { name: 'Old pier' },
      lookFor: [
        html`The response is 412 Precondition Failed. The record is unchanged: it has the name that Ann
gave it.`,
        html`The <code>ETag</code> in the response names the current version. Ben reads the record with
<code>Accept: application/json</code>, merges both changes and sends a request with its ETag. The ETag of a page
would never match: it is weak.`,
        html`Send it without <code>If-Match</code> in the curl command. It succeeds, and the change of Ann is
lost. With the setting <code>REQUIRE_IF_MATCH=on</code> the response is 428 Precondition Required
(RFC 6585).`,
      ],
      withoutScript: html`Save the second tab. A page shows both versions, and you can choose one.`,
    }),
  ],
}
