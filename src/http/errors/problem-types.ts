/** A kind of error, as its page under `/problems/` describes it (RFC 9457 §3.1.1). */
export interface ProblemType {
  status: number
  title: string
  meaning: string
  remedy: string
  /** A command that works; `{origin}` stands for the service. */
  example?: string
}

/** Every kind of error by the last segment of its URL. The first of a status is its default. */
export const problemTypes = {
  'bad-request': {
    status: 400,
    title: 'Bad Request',
    meaning:
      'The URL, a header or the body of the request is malformed or exceeds a limit on its format.',
    remedy: 'Correct the part that the detail names, and send the request again.',
    example: `curl --json '{"name":"Ann","password":"secret"}' {origin}/users`,
  },
  'unknown-parameter': {
    status: 400,
    title: 'Unknown Parameter',
    meaning:
      'The query names a field, an operator or a value that does not exist. Ignoring it would change the meaning of the request.',
    remedy: 'Correct the parameter that the detail names, or remove it.',
    example: `curl -H 'Accept: application/json' '{origin}/locations?page=1&per_page=10'`,
  },
  'invalid-patch': {
    status: 400,
    title: 'Invalid Patch',
    meaning: 'The body is JSON, but not a patch document of the type in Content-Type.',
    remedy:
      'Send a list of operations as application/json-patch+json (RFC 6902), or an object with the changed fields as application/merge-patch+json (RFC 7396).',
    example: `curl -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"note":null}' {origin}/locations/ID`,
  },
  'digest-mismatch': {
    status: 400,
    title: 'Digest Mismatch',
    meaning:
      'The received body does not match its Content-Digest or Repr-Digest, so it was changed on the way. Nothing was stored.',
    remedy: 'Compute the digest of the bytes that you send (RFC 9530), and send them again.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The user name or password is wrong, or the request has no valid session.',
    remedy: 'Log in as an existing user, and send the session cookie with later requests.',
    example: `curl -c jar --json '{"username":"Ann","password":"secret"}' {origin}/login`,
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning: 'The request is valid but not allowed. Repeating it does not help.',
    remedy: 'The detail names what is not allowed.',
  },
  'cross-site-write': {
    status: 403,
    title: 'Cross-Site Write',
    meaning:
      'Sec-Fetch-Site or Origin shows that a page of another site sent this write. Every site may read; only this site and the origins in CORS_ORIGINS may write.',
    remedy:
      'Send the request from this site, or add the origin of the page to CORS_ORIGINS and restart the service.',
    example: 'CORS_ORIGINS=http://localhost:5173 npm start',
  },
  'unsafe-link': {
    status: 403,
    title: 'Unsafe Link',
    meaning:
      'A method override turns this GET or HEAD into a method that changes data, and a link or a prefetch could have sent it.',
    remedy: 'Send a POST with the override, or use the method itself.',
    example: 'curl -d _method=DELETE {origin}/users/ID',
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    meaning: 'No route matches this path, or the record or file does not exist or was deleted.',
    remedy: 'Check the URL. The home page lists all demos.',
    example: 'curl {origin}/',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    meaning:
      'The URL exists, but does not support this method. Allow lists the methods it supports.',
    remedy: 'Use one of the methods in Allow. OPTIONS returns them too.',
    example: 'curl -i -X OPTIONS {origin}/users',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    meaning:
      'Accept excludes every available media type. The response lists them; in JSON, in the member offers.',
    remedy: 'Name one of the available media types in Accept, or omit Accept.',
    example: `curl -H 'Accept: application/json' {origin}/users`,
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning: 'The request did not arrive completely in time. The connection is closed.',
    remedy: 'Send it again on a new connection. The settings list the time limits.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning: 'The request conflicts with the current state of the resource.',
    remedy: 'Read the current state, and send a request that fits it.',
  },
  'patch-test-failed': {
    status: 409,
    title: 'Patch Test Failed',
    meaning:
      'A test operation of the JSON Patch found a different value. No operation was applied.',
    remedy: 'Read the record, and write the patch for its current values.',
    example: `curl -X PATCH -H 'Content-Type: application/json-patch+json' -d '[{"op":"test","path":"/name","value":"Rome"}]' {origin}/locations/ID`,
  },
  'idempotency-key-in-flight': {
    status: 409,
    title: 'Idempotency Key in Flight',
    meaning: 'A request with the same Idempotency-Key is still being processed.',
    remedy: 'Wait for the seconds in Retry-After and repeat the request to get the same response.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition Failed',
    meaning:
      'If-Match, If-None-Match or If-Unmodified-Since does not match the current state: the resource was changed, or it exists already. Nothing was changed.',
    remedy: 'Read the resource again, and send the change with its current ETag.',
    example: `curl -X PUT -H 'If-None-Match: *' --json '{"name":"Rome"}' {origin}/locations/rome`,
  },
  'content-too-large': {
    status: 413,
    title: 'Content Too Large',
    meaning: 'The body exceeds the limit that the detail names.',
    remedy: 'Send a smaller body, or increase MAX_BODY_BYTES or MAX_UPLOAD_BYTES.',
  },
  'uri-too-long': {
    status: 414,
    title: 'URI Too Long',
    meaning: 'The URL of the request exceeds MAX_URL_BYTES.',
    remedy: 'Send long values in the body.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported Media Type',
    meaning:
      'The type or encoding of the body is not supported. Accept-Post, Accept-Patch or Accept-Encoding lists the supported ones.',
    remedy: 'Send a supported type, set Content-Type, and do not compress the body.',
    example: `curl --json '{"name":"Rome"}' {origin}/locations`,
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range Not Satisfiable',
    meaning: 'Range starts beyond the end. Content-Range gives the size.',
    remedy: 'Request a range that starts before the end.',
    example: 'curl -r 0-14 {origin}/assets/vitrine.css',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation Failed',
    meaning: 'Expect has another value than 100-continue, the only one that HTTP defines.',
    remedy: 'Omit Expect.',
  },
  'misdirected-request': {
    status: 421,
    title: 'Misdirected Request',
    meaning:
      'The request is for a host that this service does not serve, or for an https: URL over plain HTTP. This prevents DNS rebinding.',
    remedy: 'Use the URL that the service prints when it starts, or add the host to ALLOWED_HOSTS.',
    example: 'ALLOWED_HOSTS=localhost,vitrine.example npm start',
  },
  'unprocessable-content': {
    status: 422,
    title: 'Unprocessable Content',
    meaning: 'The body is well-formed, but lacks what the request needs.',
    remedy: 'Correct the part that the detail names.',
  },
  'invalid-fields': {
    status: 422,
    title: 'Invalid Fields',
    meaning:
      'Required fields are missing, or fields have invalid values. The member errors lists each field as a JSON Pointer with its error. Nothing was changed.',
    remedy: 'Correct every field in errors, and send the whole request again.',
    example: `curl --json '{"name":"Rome","latitude":41.9,"longitude":12.5}' {origin}/locations`,
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency Key Reused',
    meaning: 'This Idempotency-Key was used for a different request before.',
    remedy: 'Create a new key for each request, and repeat a key only with the same request.',
    example: `curl -H "Idempotency-Key: \\"$(uuidgen)\\"" --json '{"name":"Rome"}' {origin}/locations`,
  },
  'precondition-required': {
    status: 428,
    title: 'Precondition Required',
    meaning:
      'REQUIRE_IF_MATCH is set: a change must name the state that it applies to, so that no update is lost.',
    remedy: 'Read the resource, and send its ETag in If-Match.',
    example: `curl -X DELETE -H 'If-Match: "ETAG"' {origin}/locations/ID`,
  },
  'too-many-requests': {
    status: 429,
    title: 'Too Many Requests',
    meaning:
      'This client sent more requests or logins within a minute than RateLimit-Policy allows. Rejected requests count too.',
    remedy:
      'Wait for the seconds in Retry-After. RateLimit in every response gives the number of requests that remain.',
    example: `curl -si {origin}/ | grep -i '^ratelimit'`,
  },
  'headers-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    meaning: 'The headers together exceed MAX_HEADER_BYTES.',
    remedy: 'Send fewer or shorter headers. Cookies are a common cause.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    meaning:
      'The service failed; the request is not the cause. The log has the error by request id.',
    remedy: 'Report the request id to the operator of the service.',
  },
  'not-implemented': {
    status: 501,
    title: 'Not Implemented',
    meaning: 'This method or transfer coding is not implemented.',
    remedy: 'Use one of the methods that OPTIONS * lists.',
    example: `curl -i -X OPTIONS --request-target '*' {origin}`,
  },
  unavailable: {
    status: 503,
    title: 'Service Unavailable',
    meaning: 'The service is overloaded, or a data store is temporarily unavailable.',
    remedy: 'Repeat the request after the seconds in Retry-After.',
  },
  'version-not-supported': {
    status: 505,
    title: 'HTTP Version Not Supported',
    meaning: 'The request line names an HTTP version that is not supported in this form.',
    remedy: 'Use HTTP/1.1, or HTTP/2 over TLS.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient Storage',
    meaning:
      'The store is full, or MAX_RECORDS, MAX_DATABASE_BYTES or MAX_FILES_BYTES is reached. Nothing was stored; existing data is unchanged.',
    remedy: 'Delete something, or ask the operator of the service for more space.',
  },
} as const satisfies Readonly<Record<string, ProblemType>>

export type ProblemSlug = keyof typeof problemTypes

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(problemTypes, text)
}

export function findProblemSlug(status: number): ProblemSlug | undefined {
  return Object.keys(problemTypes)
    .filter(isProblemSlug)
    .find((slug) => problemTypes[slug].status === status)
}
