/** Why a response differs from the recorded one on purpose, by dialect and request line. */
export const deviations: Readonly<Record<string, string>> = {
  'httpbin GET /status/402': 'A body always has a Content-Type.',
  'httpbin GET /status/407': 'Gunicorn removes the challenge.',
  'httpbin GET /status/418': 'A body always has a Content-Type.',
  'httpbin GET /status/99': 'Not 500.',
  'httpbin GET /status/-1': 'Not 500.',
  'httpbin GET /status/203:1:2,203': 'Not 500.',
  'httpbin GET /digest-auth/auth/u/p?a=1': 'Not 500.',
  'httpbin GET /cookies with two headers':
    'They are joined by `; ` (RFC 6265 §5.4), not by a comma.',
  'httpbin GET /redirect/0': 'Not 500.',
  'httpbin GET /relative-redirect/0': 'Not 500.',
  'httpbin GET /redirect-to': 'Not `Location: None`.',
  'httpbin GET /redirect-to?url=': 'Not an empty Location.',
  'httpbin GET /redirect-to?url=/a&status_code=x': 'Not 500.',
  'httpbin GET /redirect/99999999999999999999': 'Numbers are limited to 2^53.',
  'httpbin GET /response-headers?Content-Type=text/html&a=%3Cb%3E': 'One Content-Type.',
  'httpbin GET /response-headers?Content-Type=text/plain;%20charset=utf-8': 'One Content-Type.',
  'httpbin GET /response-headers?e=%C3%A9': 'Headers are sent in UTF-8.',
  'go-httpbin GET /base64/aGk%3D%3D': 'The index in the message.',
}
