import type { Config } from '../../config/config.ts'
import type { HttpError } from '../../http/errors/http-error.ts'
import { html, type Html } from '../../site/html.ts'
import { type Page } from '../../site/page.ts'

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
<input type="password" id="password" name="password" autocomplete="current-password" required${renderValidity('password', error)}></p>
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

function renderValidity(field: string, error?: HttpError): Html {
  const isInvalid = error?.fields.some((problem) => problem.field === field)
  return isInvalid ? html` aria-invalid="true" aria-describedby="problem"` : html``
}
