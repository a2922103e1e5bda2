import { passwordNote } from '../../auth/passwords.ts'
import type { ActiveSession } from '../../auth/session-lifecycle.ts'
import type { Config } from '../../config/config.ts'
import type { HttpError } from '../../http/errors/http-error.ts'
import { html, type Html } from '../../site/html.ts'
import { type Page, renderTime } from '../../site/page.ts'
import type { SessionIssue } from '../../stores/sessions/sessions.ts'

export function renderLoginPage(
  { demos }: Pick<Config, 'demos'>,
  username = '',
  error?: HttpError,
): Page {
  return {
    title: error ? 'Not logged in: Log in' : 'Log in',
    heading: 'Log in',
    scripts: ['edit-form.js'],
    styles: ['sessions.css'],
    main: html`${error ? renderMessage(error) : ''}<div class="login">
<form method="post" action="/login" class="card">
<p class="field"><label for="username">Name</label>
<input type="text" id="username" name="username" autocomplete="username" required${renderValidity('username', error)} value="${username.slice(0, 1000)}"></p>
<p class="field"><label for="password">Password</label>
<span class="quiet" id="password-hint">${passwordNote}</span>
<input type="password" id="password" name="password" autocomplete="current-password" required${renderValidity('password', error, 'password-hint')}></p>
<button type="submit">Log in</button>
${demos.includes('users') ? html`<p>No account yet? <a href="/users/new">Create one</a>.</p>\n` : ''}</form>
<section><h2>What to look for</h2>
<ol>
<li>The form is sent as <code>POST /login</code>.</li>
<li>The response is <code>303</code>: its <code>Location</code> is <code>/session</code>, and
<code>Set-Cookie</code> has a random id.</li>
<li>The browser requests <code>/session</code> with this id. The page shows what the server stores for it, and
when it expires.</li>
</ol></section>
</div>`,
  }
}

function renderMessage({ message }: HttpError): Html {
  return html`<div class="notice error" role="alert" tabindex="-1" autofocus><p id="problem">${message}</p></div>
`
}

function renderValidity(field: string, error?: HttpError, hint = ''): Html {
  const isInvalid = error?.fields.some((problem) => problem.field === field)
  const notes = [hint, isInvalid ? 'problem' : ''].filter(Boolean).join(' ')
  return html`${isInvalid ? html` aria-invalid="true"` : ''}${notes ? html` aria-describedby="${notes}"` : ''}`
}

export function renderSessionPage(
  { user, session, endsAt }: ActiveSession,
  idleSeconds: number,
  cookie: CookieView,
): Page {
  const { createdAt, expiresAt, issue } = session
  const maxSeconds = (Date.parse(expiresAt) - Date.parse(createdAt)) / 1000
  return {
    title: 'Session',
    scripts: ['edit-form.js', 'session.js'],
    styles: ['sessions.css'],
    main: html`<p class="lead">You are logged in as <a href="/users/${user.id}" dir="auto">${String(user.document.name)}</a>.</p>
<p class="notice error" role="status" data-part="over" hidden>This session has ended, unless it was used in another window. <a href="/login">Log in again</a></p>
<section class="card session" aria-labelledby="stored"><h2 id="stored">What the server stores</h2>
<dl>
<dt>ID</dt><dd>${issue ? html`<code>${issue.newId}</code> ` : ''}<span class="quiet">The server stores only the SHA-256 of the id, so that ids cannot be read from a stolen database.</span></dd>
<dt>User</dt><dd><code>${user.id}</code></dd>
<dt>Logged in at</dt><dd>${renderTime(createdAt)}</dd>
<dt>Expires</dt><dd>${renderEnd(endsAt, idleSeconds)} <span class="quiet">Each use of the session moves this time to ${toDuration(idleSeconds)} later.</span></dd>
<dt>Expires at the latest</dt><dd>${renderEnd(expiresAt, maxSeconds)} <span class="quiet">Using the session or renewing its id does not change this time.</span></dd>
</dl>
</section>
<div class="actions">
<form method="post" action="/session"><button type="submit">Renew the id</button></form>
<form method="post" action="/logout"><button type="submit" class="second">Log out</button></form>
</div>
${issue ? renderIdChange(issue, cookie) : ''}${renderCookieFlags(cookie)}`,
  }
}

/** A script counts the seconds down, so that the clocks need not agree. */
function renderEnd(iso: string, lifetimeSeconds: number): Html {
  const seconds = Math.max(0, Math.floor((Date.parse(iso) - Date.now()) / 1000))
  return html`<span class="end" data-lifetime="${lifetimeSeconds}" data-seconds="${seconds}">${renderTime(iso)}</span>`
}

function renderIdChange({ by, oldId, newId, issuedAt }: SessionIssue, { field }: CookieView): Html {
  const [name = ''] = field.split('=')
  return html`<h2>What changed in the headers</h2>
<p>${by === 'login' ? 'Logging in' : 'Renewing'} gave you a new id at ${renderTime(issuedAt)}. ${
    oldId === undefined
      ? 'You had no id before.'
      : 'The old id became invalid at once, so that a stolen or planted id is useless.'
  }</p>
<div class="heads">
<section aria-labelledby="before"><h3 id="before">Before: your request</h3>
<pre tabindex="0"><code>${oldId === undefined ? '(no session cookie)' : html`Cookie: ${name}=<mark>${oldId}</mark>`}</code></pre></section>
<section aria-labelledby="after"><h3 id="after">After: the response</h3>
<pre tabindex="0"><code>Set-Cookie: ${name}=<mark>${newId}</mark>${field.slice(name.length + 1 + newId.length)}</code></pre></section>
</div>
<p class="quiet">Only the last four characters of the ids are shown here.</p>
`
}

export interface CookieView {
  field: string
  maxSeconds: number
  isSecure: boolean
}

export function renderCookieFlags({ maxSeconds, isSecure }: CookieView): Html {
  const notSet = isSecure ? '' : html`<strong>Not set</strong>, because you use HTTP. `
  return html`<h2 id="flags">Cookie attributes</h2>
<section class="table" tabindex="0" aria-labelledby="flags"><table>
<thead><tr><th scope="col">Attribute</th><th scope="col">Effect</th></tr></thead>
<tbody>
<tr><th scope="row"><code>HttpOnly</code></th><td>Scripts cannot read the cookie: <code>document.cookie</code> does not contain it, so an injected script cannot steal it.</td></tr>
<tr><th scope="row"><code>SameSite=Lax</code></th><td>Cross-site POST forms and scripts do not send the cookie. Cross-site links and GET forms do.</td></tr>
<tr><th scope="row"><code>Path=/</code></th><td>The cookie is sent with every request to this host. Without <code>Domain</code> it is not sent to any other host.</td></tr>
<tr><th scope="row"><code>Max-Age=${maxSeconds}</code></th><td>The browser deletes the cookie after ${toDuration(maxSeconds)}. The server checks the time itself and does not rely on the browser.</td></tr>
<tr><th scope="row"><code>Secure</code></th><td>${notSet}With <code>Secure</code>, a browser sends the cookie over HTTPS only.</td></tr>
<tr><th scope="row"><code>__Host-</code></th><td>${notSet}A browser accepts a cookie with this prefix only if it has <code>Secure</code> and <code>Path=/</code> and no <code>Domain</code>.</td></tr>
</tbody>
</table></section>`
}

export function toDuration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const parts =
    seconds < 120 ? { second: seconds } : { hour: hours, minute: minutes, second: seconds % 60 }
  return Object.entries(parts)
    .filter(([, amount]) => amount > 0)
    .map(([unit, amount]) => `${String(amount)} ${unit}${amount === 1 ? '' : 's'}`)
    .join(' ')
}
