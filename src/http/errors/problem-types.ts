/** A kind of refusal, as its page under `/problems/` tells it (RFC 9457 §3.1.1). */
export interface ProblemType {
  status: number
  /** What the kind is called, in a few words. */
  title: string
  /** Why the service refuses, in a paragraph. */
  meaning: string
  /** What to change in the request. */
  remedy: string
  /** A command that goes right; `{origin}` stands for where the service is. */
  example?: string
}

/**
 * Every kind of refusal by the last segment of its address. The first of a status is what a refusal
 * with that status is unless it says more.
 */
export const problemTypes = {
  'bad-request': {
    status: 400,
    title: 'Bad Request',
    meaning:
      'The request cannot be read: its address, its headers or its content break the rules of HTTP, of their own format, or of the limits on them.',
    remedy: 'Correct what the detail names, and send the request again.',
    example: `curl --json '{"name":"Ann","password":"secret"}' {origin}/users`,
  },
  'unknown-parameter': {
    status: 400,
    title: 'Unknown Parameter',
    meaning:
      'The query names a field, an operator or a value that does not exist here. It is refused, since passing over it would answer another question than the one asked.',
    remedy: 'Correct the parameter that the detail names, or leave it out.',
    example: `curl -H 'Accept: application/json' '{origin}/locations?page=1&per_page=10'`,
  },
  'invalid-patch': {
    status: 400,
    title: 'Invalid Patch',
    meaning: 'The content is JSON, but no patch document of the type that Content-Type names.',
    remedy:
      'Send a list of operations as application/json-patch+json (RFC 6902), or an object with the changed fields as application/merge-patch+json (RFC 7396).',
    example: `curl -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"note":null}' {origin}/locations/ID`,
  },
  'digest-mismatch': {
    status: 400,
    title: 'Digest Mismatch',
    meaning:
      'The content that arrived does not have the digest that Content-Digest or Repr-Digest says, so something has changed it on the way. Nothing was kept.',
    remedy: 'Compute the digest of the bytes as they are sent (RFC 9530), and send them again.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'There is no user of that name and password, or nobody is logged in.',
    remedy: 'Log in with a user that exists, and send the cookie with what follows.',
    example: `curl -c jar --json '{"username":"Ann","password":"secret"}' {origin}/login`,
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning: 'The request was understood, and is not allowed. Repeating it changes nothing.',
    remedy: 'The detail says what is not allowed, and to whom.',
  },
  'cross-site-write': {
    status: 403,
    title: 'Cross-Site Write',
    meaning:
      'A page of another site made the browser send this write, as Sec-Fetch-Site or Origin tells. Reading is open to every site; writing only to this one and to the origins in CORS_ORIGINS.',
    remedy:
      'Send the request from this site, or start the service with the origin of the page in CORS_ORIGINS.',
    example: 'CORS_ORIGINS=http://localhost:5173 npm start',
  },
  'unsafe-link': {
    status: 403,
    title: 'Unsafe Link',
    meaning:
      'A GET or HEAD was to be handled as a method that changes something, and it may have come from a link or from fetching one ahead, which any page can bring about.',
    remedy: 'Send a POST with the override, or the method itself.',
    example: 'curl -d _method=DELETE {origin}/users/ID',
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    meaning:
      'There is nothing at this address, for any method: no route has it, or the record or file that it names is not there, or no longer.',
    remedy: 'Look at the address again. The home page has a map of what there is.',
    example: 'curl {origin}/',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    meaning: 'The address exists, but not for this method. Allow says which methods it has.',
    remedy: 'Use one of the methods in Allow; OPTIONS asks for them.',
    example: 'curl -i -X OPTIONS {origin}/users',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    meaning:
      'Accept rules out every media type in which this is available. They are listed in the answer, for JSON in the member offers.',
    remedy: 'Name one of the offers in Accept, or leave Accept out.',
    example: `curl -H 'Accept: application/json' {origin}/users`,
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning: 'The request did not arrive whole in the time it has, and the connection is closed.',
    remedy: 'Send it again on a new connection. The README names the times under Limits.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning: 'The request does not fit the state in which what it is about is just now.',
    remedy: 'Read the current state, and send a request that fits it.',
  },
  'patch-test-failed': {
    status: 409,
    title: 'Patch Test Failed',
    meaning:
      'A test operation of the JSON Patch found another value than it names, so nothing of the patch was applied.',
    remedy: 'Read the record, and write the patch for the values that it has now.',
    example: `curl -X PATCH -H 'Content-Type: application/json-patch+json' -d '[{"op":"test","path":"/name","value":"Rome"}]' {origin}/locations/ID`,
  },
  'idempotency-key-in-flight': {
    status: 409,
    title: 'Idempotency Key in Flight',
    meaning: 'A request with the same Idempotency-Key is still being handled.',
    remedy: 'Wait as long as Retry-After says and repeat the request: it gets the same answer.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition Failed',
    meaning:
      'If-Match, If-None-Match or If-Unmodified-Since names a state that this is not in: somebody else was quicker, or it exists already. Nothing was changed.',
    remedy: 'Read it again, and send the change with the ETag that comes with it.',
    example: `curl -X PUT -H 'If-None-Match: *' --json '{"name":"Rome"}' {origin}/locations/rome`,
  },
  'content-too-large': {
    status: 413,
    title: 'Content Too Large',
    meaning: 'The content is over the limit that the detail names.',
    remedy: 'Send less, or start the service with a higher MAX_BODY_BYTES or MAX_UPLOAD_BYTES.',
  },
  'uri-too-long': {
    status: 414,
    title: 'URI Too Long',
    meaning: 'The address of the request is longer than MAX_URL_BYTES.',
    remedy: 'Send long values in the content.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported Media Type',
    meaning:
      'The content is of a type, or in an encoding, that is not read here. Accept-Post, Accept-Patch or Accept-Encoding says what is.',
    remedy: 'Send one of those types, say so in Content-Type, and do not compress it.',
    example: `curl --json '{"name":"Rome"}' {origin}/locations`,
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range Not Satisfiable',
    meaning: 'None of the bytes in Range exist. Content-Range says how many there are.',
    remedy: 'Ask for a range that begins before the end.',
    example: 'curl -r 0-14 {origin}/assets/vitrine.css',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation Failed',
    meaning: 'Expect asks for something other than 100-continue, and there is nothing else.',
    remedy: 'Leave Expect out.',
  },
  'misdirected-request': {
    status: 421,
    title: 'Misdirected Request',
    meaning:
      'The request is for a host that this service does not serve, or for an https: URL over plain HTTP. A page of another name cannot read or write here by pointing that name at this machine (DNS rebinding).',
    remedy: 'Use the URL that the service names when it starts, or add the host to ALLOWED_HOSTS.',
    example: 'ALLOWED_HOSTS=localhost,vitrine.example npm start',
  },
  'unprocessable-content': {
    status: 422,
    title: 'Unprocessable Content',
    meaning: 'The content can be read, and does not say what the request needs.',
    remedy: 'Correct what the detail names.',
  },
  'invalid-fields': {
    status: 422,
    title: 'Invalid Fields',
    meaning:
      'Fields of the content are missing or have values that are not valid. The member errors names each with a JSON Pointer and what is wrong with it. Nothing was changed.',
    remedy: 'Correct every field in errors, and send the whole request again.',
    example: `curl --json '{"name":"Rome","latitude":41.9,"longitude":12.5}' {origin}/locations`,
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency Key Reused',
    meaning: 'This Idempotency-Key came before with another request.',
    remedy: 'Make a new key for every new request, and repeat a key with the same request only.',
    example: `curl -H "Idempotency-Key: \\"$(uuidgen)\\"" --json '{"name":"Rome"}' {origin}/locations`,
  },
  'precondition-required': {
    status: 428,
    title: 'Precondition Required',
    meaning:
      'This service runs with REQUIRE_IF_MATCH, and so takes a change only from who says which state it is for. That way nobody overwrites what they have not seen.',
    remedy: 'Read it, and send its ETag in If-Match.',
    example: `curl -X DELETE -H 'If-Match: "ETAG"' {origin}/locations/ID`,
  },
  'too-many-requests': {
    status: 429,
    title: 'Too Many Requests',
    meaning:
      'The client at this address has sent more requests within a minute than RateLimit-Policy allows: in all, or logins. Refused ones count too.',
    remedy:
      'Wait as long as Retry-After says. RateLimit in the answers tells how many are left until the minute is over.',
    example: `curl -si {origin}/ | grep -i '^ratelimit'`,
  },
  'headers-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    meaning: 'The headers together are over MAX_HEADER_BYTES.',
    remedy: 'Send fewer or shorter headers; often it is the cookies.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    meaning:
      'Something is broken in the service, and not in the request. The log has the cause under the id that instance carries.',
    remedy: 'Tell whoever runs the service, with the id.',
  },
  'not-implemented': {
    status: 501,
    title: 'Not Implemented',
    meaning: 'The service knows this method or transfer coding nowhere.',
    remedy: 'Use a method that the service knows, which OPTIONS * lists.',
    example: `curl -i -X OPTIONS --request-target '*' {origin}`,
  },
  unavailable: {
    status: 503,
    title: 'Service Unavailable',
    meaning:
      'The service cannot do this just now: a store cannot be reached, or there is more to do than can be done in time.',
    remedy: 'Repeat the request after the seconds in Retry-After.',
  },
  'version-not-supported': {
    status: 505,
    title: 'HTTP Version Not Supported',
    meaning: 'The request line names a version of HTTP that is not spoken in this way.',
    remedy: 'Speak HTTP/1.1, or HTTP/2 over TLS.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient Storage',
    meaning:
      'The store is full, or holds as much of this kind as MAX_RECORDS, MAX_DATABASE_BYTES or MAX_FILES_BYTES allows. Nothing was kept, and what was there still is.',
    remedy: 'Delete something, or tell whoever runs the service.',
  },
} as const satisfies Readonly<Record<string, ProblemType>>

export type ProblemSlug = keyof typeof problemTypes

const slugs = Object.keys(problemTypes) as ProblemSlug[]

/** What a refusal with this status is unless it says more; undefined for a status not in the table. */
export function toProblemSlug(status: number): ProblemSlug | undefined {
  return slugs.find((slug) => problemTypes[slug].status === status)
}

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(problemTypes, text)
}
