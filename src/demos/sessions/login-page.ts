import type { HttpError } from '../../http/errors/http-error.ts'
import { html, type Html } from '../../site/html.ts'
import { type Page } from '../../site/page.ts'

export function renderLoginPage(username = '', error?: HttpError): Page {
  return {
    title: error ? 'Not logged in: Log in' : 'Log in',
    heading: 'Log in',
    scripts: ['edit-form.js'],
    main: html`${error ? renderMessage(error) : ''}<form method="post" action="/login">
<p class="field"><label for="username">Name</label>
<input type="text" id="username" name="username" autocomplete="username" required${renderValidity('username', error)} value="${username.slice(0, 1000)}"></p>
<p class="field"><label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required${renderValidity('password', error)}></p>
<p class="actions"><button type="submit">Log in</button></p>
</form>
<p>No account yet? <a href="/users/new">Create one</a>.</p>
<p class="quiet">After you log in, your browser has a cookie with a random id. The next page shows what the
server stores for that id, and when it expires.</p>`,
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
