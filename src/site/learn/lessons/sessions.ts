import { html } from '../../html.ts'
import { step, type Lesson } from '../lesson.ts'

const headers = { Accept: 'application/json' }
const password = 'correct horse'

export const sessions: Lesson = {
  slug: 'sessions',
  title: 'Sessions and cookies',
  summary: 'HTTP is stateless: how a server recognizes a user who has logged in.',
  minutes: 6,
  introduction: [
    html`Each HTTP request is independent of all others. To recognize a user, the server sends a secret in
<code>Set-Cookie</code>, and the browser sends it back in <code>Cookie</code> with each later request
(RFC 6265).`,
    html`The secret is a random session id. The server stores the session: its user, and when it expires.`,
  ],
  steps: [
    step('Create a user', 'POST /users', 'users', {
      why: html`To log in, you need an account. This request creates one with a public password, so do not
use it for anything else.`,
      headers,
      fields: { name: 'my-lesson', password },
      lookFor: [
        html`The response is 201 Created. It does not contain the password: the server stores only a hash.`,
        html`Passwords belong in the body of a request. URLs are stored in histories and logs.`,
      ],
    }),
    step('Log in', 'POST /login', 'sessions', {
      why: html`The server compares the password with the hash, creates a session and sends its id. In this
browser, it replaces the session that you may have.`,
      headers,
      fields: { username: 'my-lesson', password },
      curlFlags: ['-c jar'],
      lookFor: [
        html`<code>Set-Cookie</code> contains the session id, which the request inspector masks. With this
id, anyone can act as the user.`,
        html`<code>HttpOnly</code>: scripts cannot read the cookie. <code>SameSite=Lax</code>: other sites
cannot make the browser send it with a POST request. <code>Max-Age</code>: the browser deletes it
after this many seconds, even if the session is in use.`,
        html`Names of users need not be unique. Two users with one name can both log in, each with their own
password.`,
        html`Over HTTPS the cookie also has <code>Secure</code> and a name that starts with
<code>__Host-</code>.`,
      ],
    }),
    step('Use the session', 'GET /session', 'sessions', {
      why: html`The browser adds the cookie to each request to this site. The page does nothing for it.`,
      headers,
      curlFlags: ['-b jar'],
      lookFor: [
        html`The request has a <code>Cookie</code> header. The response names the user.`,
        html`<code>expiresAt</code> is when the session ends on the server if it is not used before. Each use
moves it, but not beyond <code>Max-Age</code>.`,
        html`<code>Cache-Control: no-store</code> keeps this response out of every cache, because it is
about one user.`,
        html`<a href="/session">Your session</a> shows the same as a page, where you can renew the id and log
out.`,
      ],
    }),
  ],
}
