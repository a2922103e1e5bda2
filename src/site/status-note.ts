import { findProblemSlug, problemTypes } from '../http/errors/problem-types.ts'

const notes: Readonly<Record<string, string>> = {
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
  418: 'The server is a teapot: a joke from RFC 2324.',
  502: 'A proxy received an invalid response from the server behind it.',
  504: 'A proxy received no response in time from the server behind it.',
  '1XX': 'A code from 100 to 199: the response follows.',
  '2XX': 'A code from 200 to 299: the request succeeded.',
  '3XX': 'A code from 300 to 399: the client has to do something else to complete the request.',
  '4XX': 'A code from 400 to 499: the request has an error.',
  '5XX': 'A code from 500 to 599: the server failed.',
}

export function toStatusNote(status: number): string {
  const slug = findProblemSlug(status)
  const note = slug ? problemTypes[slug].meaning : notes[status]
  return note ?? notes[`${String(status).charAt(0)}XX`] ?? ''
}
