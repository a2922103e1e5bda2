import packageJson from '../../../package.json' with { type: 'json' }

const description = `A glass case for HTTP: every part of the protocol can be seen, tried and tested against.

**Every path.** HEAD works wherever GET does. OPTIONS says in Allow what a path has; a method that it
lacks gets 405, and a method that nobody knows 501. A trailing slash changes nothing. Whatever path no
route has is looked for among the static files.

**Method override.** \`_method\` in the query string, \`_method\` in JSON or a form, then
\`X-HTTP-Method-Override\`, make a request of any method another's.

**Refusals** are problem details (RFC 9457) for clients that ask for JSON, a page for browsers, one line
of text otherwise. \`type\` is the address of a page that says what to do.

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
export const tagOfTheHouse = {
  name: 'vitrine',
  description: 'Always there, whichever rooms are open.',
}
