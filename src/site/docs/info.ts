import packageJson from '../../../package.json' with { type: 'json' }

const description = `A glass case for HTTP: every part of the protocol can be seen, tried and tested against.

**Every path.** HEAD works wherever GET does. OPTIONS says in Allow what a path has; a method that it
lacks gets 405, and a method that the service does not implement (CONNECT, PROPFIND) 501. A name that is
no registered method gets 400 over HTTP/1.1, whose parser rejects it, and 501 over HTTP/2. A trailing slash changes nothing. Whatever path no
route has is looked for among the static files.

**Method override.** \`_method\` in the query string, \`_method\` in JSON or a form, then
\`X-HTTP-Method-Override\`, make a request of any method another's.

**Refusals** are problem details (RFC 9457) for clients that ask for JSON, a page for browsers, one line
of text otherwise. \`type\` is the address of a page that says what to do.

**Representations** are chosen by Accept, with its q-values, or by a suffix of the address; 406 lists
what there is. \`curl -H 'Accept: text/csv' http://127.0.0.1:3000/users\` is the same as \`curl http://127.0.0.1:3000/users.csv\`.

**Conditions** (RFC 9110). ETag and Last-Modified come with records; If-None-Match makes reading cheap
(304), If-Match a write go by what its author has seen (412).
\`curl -i -H 'If-None-Match: *' http://127.0.0.1:3000/locations?page=1\` shows a 304.

**Patches** come as fields, as a merge patch (RFC 7396) or as a JSON Patch (RFC 6902), by media type.

**Idempotency-Key.** With the same key a POST that creates is done once, and answered twice.

**Reading from another site** is open to all scripts; writing is for those of \`CORS_ORIGINS\`.

**Caching.** Every answer says in Cache-Control how it may be kept, and in Vary what chose it.

**Digests.** Content-Digest and Repr-Digest (RFC 9530) of any content that is sent are verified; another
digest than that of the content gets 400.

**QUERY** (RFC 10008) takes on lists what GET takes in the address, as a form or as JSON. OpenAPI 3.1
has no place for it.`

export const info = {
  title: 'Vitrine',
  version: packageJson.version,
  description,
  license: { name: 'MIT', identifier: 'MIT' },
}

/** What is there whichever rooms are open. */
export const serviceTag = {
  name: 'vitrine',
  description: 'Always there, whichever rooms are open.',
}
