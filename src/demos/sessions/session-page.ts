import { html, type Html } from '../../site/html.ts'
import { page, time } from '../../site/page.ts'
import type { SessionIssue } from '../../stores/sessions/sessions.ts'
import { cookieFlags, toDuration, type CookieView } from './cookie-flags.ts'
import type { ActiveSession } from '../../auth/session-lifecycle.ts'

interface SessionView extends ActiveSession {
  /** The earlier of its two ends. */
  endsAt: string
  idleSeconds: number
  cookie: CookieView
}

/** Who is logged in, since when and until when, and by which cookie. */
export function sessionPage({ user, session, endsAt, idleSeconds, cookie }: SessionView): Html {
  const { createdAt, expiresAt, issue } = session
  return page({
    title: 'Session',
    scripts: ['edit-form.js', 'session.js'],
    main: html`<p class="lead">You are logged in as <a href="/users/${user.id}">${String(user.document.name)}</a>.</p>
<p class="notice error" role="status" data-part="over" hidden>This session has ended, unless it was used elsewhere meanwhile. <a href="/login">Log in again</a></p>
<dl class="session">
<dt>Since</dt><dd>${time(createdAt)}</dd>
<dt>Until</dt><dd>${end(endsAt)} <span class="quiet">If it is not used before. Each look at this page puts that off to ${toDuration(idleSeconds)} from then.</span></dd>
<dt>At the latest</dt><dd>${end(expiresAt)} <span class="quiet">However much it is used, and whatever its id.</span></dd>
</dl>
<div class="actions">
<form method="post" action="/session"><button type="submit">Renew the id</button></form>
<form method="post" action="/logout"><button type="submit" class="second">Log out</button></form>
</div>
${issue ? idChange(issue, cookie) : ''}${cookieFlags(cookie)}`,
  })
}

/** A script counts the seconds down, by the clock of neither side. */
function end(iso: string): Html {
  const seconds = Math.max(0, Math.floor((Date.parse(iso) - Date.now()) / 1000))
  return html`<span class="end" data-seconds="${seconds}">${time(iso)}</span>`
}

function idChange({ by, oldId, newId, issuedAt }: SessionIssue, { field }: CookieView): Html {
  const [name = ''] = field.split('=')
  return html`<h2>What changed on the wire</h2>
<p>${by === 'login' ? 'Logging in' : 'Renewing'} gave you a new id, at ${time(issuedAt)}. ${
    oldId === undefined
      ? 'There was none before.'
      : 'The one before was dead at once, so that nobody who has seen it or planted it gets in by it.'
  }</p>
<div class="heads">
<section aria-labelledby="before"><h3 id="before">Before: you sent</h3>
<pre tabindex="0"><code>${oldId === undefined ? '(no cookie of a session)' : html`Cookie: ${name}=<mark>${oldId}</mark>`}</code></pre></section>
<section aria-labelledby="after"><h3 id="after">After: the answer said</h3>
<pre tabindex="0"><code>Set-Cookie: ${name}=<mark>${newId}</mark>${field.slice(name.length + 1 + newId.length)}</code></pre></section>
</div>
<p class="quiet">Here the ids are masked but for their last four characters. The server keeps no id at all, only the
SHA-256 of it: whoever reads its database can be nobody with that.</p>
`
}
