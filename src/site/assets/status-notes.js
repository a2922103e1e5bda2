// What each status code means, in one sentence. For browsers and the server.

/** @type {Readonly<Record<string, string>>} */
const notes = {
  200: 'The request succeeded, and the body is its result.',
  201: 'The request created a resource, and Location is its URL.',
  202: 'The request was accepted and will be processed later.',
  204: 'The request succeeded, and the response has no body: a browser stays on its page.',
  206: 'The body is one part of the representation, and Content-Range is its position.',
  301: 'The resource has moved permanently: clients continue with the URL in Location, and may remember it.',
  302: 'The resource is temporarily at another URL: clients continue with the URL in Location.',
  303: 'The result is at another URL: clients continue with a GET of the URL in Location.',
  304: 'The resource has not changed, so the response has no body: the client uses its stored copy.',
  307: 'The resource is temporarily at another URL: clients repeat the request there with the same method and body.',
  308: 'The resource has moved permanently: clients repeat the request there with the same method and body.',
  400: 'The server cannot parse the request.',
  401: 'The request needs credentials, and WWW-Authenticate names the scheme.',
  403: 'The server understood the request but does not allow it: the same request will fail again.',
  404: 'The server has no resource at this URL.',
  405: 'The resource does not support the method: Allow lists the methods that it supports.',
  406: 'The server has no representation that the Accept header allows.',
  409: 'The request conflicts with the current state of the resource.',
  410: 'The resource was deleted permanently.',
  412: 'A condition of the request, such as If-Match, is false: the resource has changed.',
  413: 'The body of the request is larger than the server allows.',
  415: 'The server does not support the media type of the body.',
  418: 'The server is a teapot: a joke from RFC 2324.',
  422: 'The server parsed the body, but its values are invalid.',
  428: 'The request needs a condition, such as If-Match.',
  429: 'The client has sent too many requests: Retry-After is the number of seconds to wait.',
  500: 'The server failed for a reason that is not the fault of the client.',
  502: 'A proxy received an invalid response from the server behind it.',
  503: 'The server is temporarily unavailable: Retry-After is the number of seconds to wait.',
  504: 'A proxy received no response in time from the server behind it.',
  '2XX': 'A code from 200 to 299: the request succeeded.',
  '3XX': 'A code from 300 to 399: the client has to do something else to complete the request.',
  '4XX': 'A code from 400 to 499: the request has an error.',
  '5XX': 'A code from 500 to 599: the server failed.',
}

/**
 * @param {number} status
 * @returns {string}
 */
export function findStatusNote(status) {
  return notes[status] ?? notes[`${String(status).charAt(0)}XX`] ?? ''
}
