import { isNameOf } from '../../config/is-name-of.ts'
import { STATUS_CODES } from '../node-http.ts'

export type ProblemType = ReturnType<ReturnType<typeof define>>

/** The names are in lower case. A value is empty if it depends on the request. */
type ProblemHeaders = Readonly<Record<string, string>>

/** `example` is a command. {origin} stands for the service, and URL for the URL of the request. */
function define<Status extends number>(
  status: Status,
  {
    title = STATUS_CODES[status] ?? '',
    headers = {},
  }: { title?: string; headers?: ProblemHeaders } = {},
) {
  return (meaning: string, remedy: string, example?: string) => {
    return { status, title, headers, meaning, remedy, example }
  }
}

const closeConnection = { connection: 'close' }
export const retrySoon = { 'retry-after': '1' }
// RFC 9110 §15.5.2 requires a challenge; a scheme unknown to browsers opens no dialog.
export const challenge = { 'www-authenticate': 'Cookie realm="Vitrine"' }

/** Every kind of error by the last segment of its URL. The first of a status is its default. */
export const problemTypes = {
  'bad-request': define(400)(
    'The URL, a header or the body of the request is malformed, or exceeds a limit, for example the number of parameters.',
    'Read the detail, correct the request, and send it again.',
  ),
  'unknown-parameter': define(400, { title: 'Invalid Query Parameter' })(
    'The query string has an unknown parameter, or a parameter with an invalid value.',
    'Correct or remove the parameter. The detail has its name.',
    `curl -H 'Accept: application/json' 'URL?page=1&per_page=10'`,
  ),
  'invalid-patch': define(400, { title: 'Invalid Patch' })(
    'The body is JSON, but not a valid JSON Patch.',
    'Send a list of operations as application/json-patch+json (RFC 6902), or an object with the changed fields as application/merge-patch+json (RFC 7396).',
    `curl -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"note":null}' URL`,
  ),
  'digest-mismatch': define(400, { title: 'Digest Mismatch' })(
    'The digest of the received body differs from Content-Digest or Repr-Digest. The body was changed in transit, or the digest was computed incorrectly. Nothing was stored.',
    'Compute the digest of the bytes that you send (RFC 9530), and send them again.',
  ),
  unauthorized: define(401, { headers: challenge })(
    'The user name, password or secret is wrong, or the request has none and no valid session.',
    'Send what the detail asks for: a secret, or the session cookie that a login as an existing user sets.',
    `curl -c cookies --json '{"username":"Ann","password":"secret"}' URL`,
  ),
  forbidden: define(403)(
    'The request is valid, but not allowed.',
    'Read the detail. Do not repeat the request unchanged.',
  ),
  'cross-site-write': define(403, { title: 'Cross-Site Write' })(
    'Sec-Fetch-Site or Origin shows that a page of another site sent this write. Every site may read; only this site and the origins in CORS_ORIGINS may write.',
    'Send the request from this site, or add the origin of the page to CORS_ORIGINS and restart the service.',
    'CORS_ORIGINS=http://localhost:5173 npm start',
  ),
  'unsafe-link': define(403, { title: 'Unsafe Link' })(
    'A link or a prefetch must not change data. A GET request must not be turned into DELETE by _method or X-HTTP-Method-Override.',
    'Send a POST with the override, or use the method itself.',
    'curl -d _method=DELETE URL',
  ),
  'blocked-client': define(403, { title: 'Blocked Client', headers: closeConnection })(
    'The operator has blocked the address of this client, or a network with it. Every request gets this error, and the connection is closed.',
    'Ask the operator of the service to run vitrine unblock with the address.',
    'vitrine unblock 203.0.113.7',
  ),
  'read-only': define(403, { title: 'Read-Only Service' })(
    'This service does not store anything: READ_ONLY is set. Everything can be read, and nothing was changed.',
    'Send only GET and HEAD requests, or ask the operator of the service to unset READ_ONLY.',
    'READ_ONLY=off npm start',
  ),
  'not-found': define(404)(
    'No route matches this path, or the record or file does not exist or was deleted.',
    'Check the path and the id. The home page lists all demos.',
    'curl {origin}/',
  ),
  'method-not-allowed': define(405, { headers: { allow: '' } })(
    'The URL exists, but does not support this method. Allow lists the methods it supports.',
    'Use one of the methods in Allow. OPTIONS returns them too.',
    'curl -i -X OPTIONS {origin}/problems',
  ),
  'not-acceptable': define(406)(
    'Accept excludes all available media types. The response lists them, in JSON as "offers".',
    'Add one of the available media types to Accept, or omit Accept.',
    `curl -H 'Accept: application/json' {origin}/problems`,
  ),
  'request-timeout': define(408, { headers: closeConnection })(
    'The request did not arrive completely in time. The connection is closed.',
    'Send it again on a new connection. The limits are HEADERS_SECONDS, BODY_IDLE_SECONDS and REQUEST_SECONDS.',
  ),
  conflict: define(409)(
    'The request conflicts with the current state of the resource.',
    'Read the current state, and send a request that fits it.',
  ),
  'patch-test-failed': define(409, { title: 'Patch Test Failed' })(
    'A test operation of the JSON Patch found a different value. No operation was applied.',
    'Read the record, and write the patch for its current values.',
    `curl -X PATCH -H 'Content-Type: application/json-patch+json' -d '[{"op":"test","path":"/name","value":"Rome"}]' URL`,
  ),
  'idempotency-key-in-flight': define(409, {
    title: 'Idempotency Key in Flight',
    headers: retrySoon,
  })(
    'A request with the same Idempotency-Key is still being processed.',
    'Wait for the number of seconds in Retry-After. Then repeat the request to get the same response.',
  ),
  gone: define(410)(
    'This resource has expired and was removed. It does not come back.',
    'Create a new one.',
    `curl -X POST -H 'Accept: application/json' URL`,
  ),
  'precondition-failed': define(412, { headers: { etag: '' } })(
    'A precondition (If-Match, If-None-Match or If-Unmodified-Since) is false: the resource was changed, or it already exists. This request changed nothing.',
    'Read the resource again, and send the change with its current ETag, with its quotation marks. If-Match needs a strong ETag: one that begins with W/ never matches. Read the JSON to get one.',
    `curl -X PUT -H 'If-Match: "ETAG"' --json '{"name":"Rome"}' URL`,
  ),
  'content-too-large': define(413)(
    'The body is larger than the service allows.',
    'Send a smaller body, or increase the limit: MAX_UPLOAD_BYTES for uploads, MAX_BODY_BYTES for other requests.',
  ),
  'uri-too-long': define(414)(
    'The URL of the request exceeds MAX_URL_BYTES.',
    'Send long values in the body.',
  ),
  'unsupported-media-type': define(415, { headers: { 'accept-post': '', 'accept-patch': '' } })(
    'The type or encoding of the body is not supported. The supported ones are in the headers Accept-Post, Accept-Patch, Accept-Query or Accept-Encoding of the response.',
    'Send a supported type, and set Content-Type. A body can be encoded with gzip, br, zstd or deflate.',
    `curl --json '{"name":"Rome"}' URL`,
  ),
  'range-not-satisfiable': define(416, { headers: { 'content-range': '' } })(
    'The range starts after the end of the file. Content-Range has the size.',
    'Request a range that starts before the end.',
    'curl -r 0-14 {origin}/assets/base.css',
  ),
  'expectation-failed': define(417, { headers: closeConnection })(
    'The header Expect has a value other than 100-continue.',
    'Send the request without Expect.',
  ),
  'misdirected-request': define(421)(
    'The request is for a host that this service does not serve, or for an https: URL over plain HTTP. The service rejects it to prevent DNS rebinding.',
    'Use the URL that the service prints when it starts, or add the host to ALLOWED_HOSTS.',
    'ALLOWED_HOSTS=localhost,vitrine.example npm start',
  ),
  'unprocessable-content': define(422)(
    'The body is well-formed, but it is not an object with the fields of the resource.',
    'Read the detail, correct the request, and send it again.',
  ),
  'invalid-fields': define(422, { title: 'Invalid Fields' })(
    'Fields are missing or invalid: "errors" lists them. Nothing was changed.',
    'Correct every field in "errors", and send the whole request again.',
  ),
  'upgrade-required': define(426, { headers: { upgrade: 'websocket', connection: 'Upgrade' } })(
    'The URL is that of a WebSocket, and the request is no handshake of one.',
    'Use a client for WebSockets (RFC 6455), over HTTP/1.1.',
    `new WebSocket('URL')`,
  ),
  'idempotency-key-reused': define(422, { title: 'Idempotency Key Reused' })(
    'This Idempotency-Key was used for a different request before.',
    'Create a new key for each request, and repeat a key only with the same request.',
    `curl -H "Idempotency-Key: \\"$(uuidgen)\\"" --json '{"name":"Rome"}' URL`,
  ),
  'precondition-required': define(428)(
    'The service requires If-Match for changes (REQUIRE_IF_MATCH=on), to prevent lost updates.',
    'Read the resource, and send its ETag in If-Match.',
    `curl -X DELETE -H 'If-Match: "ETAG"' URL`,
  ),
  'too-many-requests': define(429, { headers: retrySoon })(
    'This client sent more requests or logins within a minute than RateLimit-Policy allows, or has more requests in progress than MAX_CONNECTIONS_PER_CLIENT. Rejected requests count too.',
    'Wait for the number of seconds in Retry-After, then repeat the request. The header RateLimit of each response has the number of remaining requests.',
    `curl -si {origin}/ | grep -i '^ratelimit'`,
  ),
  'headers-too-large': define(431)(
    'The headers together exceed MAX_HEADER_BYTES.',
    'Send fewer or shorter headers. Cookies are a common cause.',
  ),
  'internal-error': define(500)(
    'The service failed. The operator can find the cause in the log by the request id.',
    'Report the request id to the operator of the service.',
  ),
  'not-implemented': define(501)(
    'This method or transfer coding is not implemented.',
    'Use one of the methods that OPTIONS * lists.',
    `curl -i -X OPTIONS --request-target '*' {origin}`,
  ),
  unavailable: define(503, { headers: retrySoon })(
    'The service is overloaded, or its database or file storage is temporarily unavailable.',
    'Wait for the number of seconds in Retry-After, then repeat the request.',
  ),
  'version-not-supported': define(505)(
    'The HTTP version in the request line is not supported on this connection. HTTP/2 is only available over TLS.',
    'Use HTTP/1.1, or HTTP/2 over TLS.',
  ),
  'insufficient-storage': define(507)(
    'The store is full, or MAX_RECORDS, MAX_DATABASE_BYTES or MAX_FILES_BYTES is reached. Nothing was stored; existing data is unchanged.',
    'Delete records, or ask the operator of the service for more space.',
  ),
}

export type ProblemSlug = keyof typeof problemTypes

export const isProblemSlug = (text: string): text is ProblemSlug => isNameOf(problemTypes, text)

export const problemSlugs = Object.keys(problemTypes).filter(isProblemSlug)

export function findProblemSlug(status: number): ProblemSlug | undefined {
  return problemSlugs.find((slug) => problemTypes[slug].status === status)
}
