import { html, type Html } from '../../site/html.ts'
import { type Page, renderTime } from '../../site/page.ts'
import type { SessionIssue } from '../../stores/sessions/sessions.ts'
import { renderCookieFlags, toDuration, type CookieView } from './cookie-flags.ts'
import type { ActiveSession } from '../../auth/session-lifecycle.ts'

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
<dt>Id</dt><dd>${issue ? html`<code>${issue.newId}</code> ` : ''}<span class="quiet">The server stores only the SHA-256 of the id, so that ids cannot be read from a stolen database.</span></dd>
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
