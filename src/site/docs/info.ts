import packageJson from '../../../package.json' with { type: 'json' }

export const originMark = '{origin}'

const introduction = `Vitrine is a service for learning and testing HTTP.

**Methods.** HEAD works wherever GET does. OPTIONS lists the methods of a path in Allow. A known method
that the path does not support gets 405. A method that the service does not implement (CONNECT, PROPFIND)
gets 501. A trailing slash is ignored. A path without a route is looked up among the static files.

**Method override.** \`_method\` in the query string, \`_method\` in the JSON or form body of POST, PUT, PATCH
and OPTIONS, and \`X-HTTP-Method-Override\` override the method of a request. The first one that is present
decides, also if its value is not a method.

**Errors** have the format that Accept selects: problem details (RFC 9457), a page, or one line of text.
With \`Accept: */*\`, routes whose successful response is JSON send problem details, and others text. \`type\`
is the URL of a page that explains the problem.

**Representations** are selected by Accept with its q-values, or by a suffix of the URL. 406 lists the
available media types. The suffix \`.csv\` selects the same representation as \`Accept: text/csv\`.

**Conditional requests** (RFC 9110). Records have ETag and Last-Modified. If-None-Match avoids sending an
unchanged representation again (304). If-Match protects a write against lost updates (412).
\`curl -i -H 'If-None-Match: *' '{origin}/docs'\` returns 304.

**Patches** are fields, a merge patch (RFC 7396) or a JSON Patch (RFC 6902), depending on the media type.

**Idempotency-Key.** A POST that is repeated with the same key creates one record. The second response is
the stored first response.

**Cross-origin requests.** Scripts of every site can read. Only the origins in \`CORS_ORIGINS\` can write.

**Caching.** Each response has Cache-Control. Vary lists the request headers on which it depends.

**Digests.** Content-Digest and Repr-Digest (RFC 9530) of a body are verified. A wrong digest gets 400.

**QUERY** (RFC 10008) accepts the query parameters of a list in its body, as a form or as JSON. OpenAPI 3.1
cannot describe QUERY.`

export const info = {
  title: 'Vitrine',
  version: packageJson.version,
  description: introduction,
  license: { name: 'MIT', identifier: 'MIT' },
}
