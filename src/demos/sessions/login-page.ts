import { html, type Html } from '../../site/html.ts'
import { page } from '../../site/page.ts'
import type { HttpError } from '../../http/errors/http-error.ts'

interface LoginForm {
  /** What was typed. */
  username?: string
  /** Why the form is here again. */
  error?: HttpError
}

export function loginPage({ username = '', error: refusal }: LoginForm = {}): Html {
  return page({
    title: refusal ? 'Not logged in: Log in' : 'Log in',
    heading: 'Log in',
    scripts: ['edit-form.js'],
    main: html`${refusal ? problem(refusal) : ''}<form method="post" action="/login">
<p class="field"><label for="username">Name</label>
<input type="text" id="username" name="username" autocomplete="username" required${validity('username', refusal)} value="${username}"></p>
<p class="field"><label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required${validity('password', refusal)}></p>
<p class="actions"><button type="submit">Log in</button></p>
</form>
<p>Nobody yet? <a href="/users/new">Make a user</a> first.</p>
<p class="quiet">Your browser gets a cookie with a random id and nothing else. What the server knows under
it, and for how long, is on the page behind this one.</p>`,
  })
}

/** Read out and focused as the page opens; the fields come next. */
function problem({ message }: HttpError): Html {
  return html`<div class="notice error" role="alert" tabindex="-1" autofocus><p id="problem">${message}</p></div>
`
}

function validity(field: string, refusal: HttpError | undefined): Html {
  const isInvalid = refusal?.fields.some((problem) => problem.field === field) ?? false
  return isInvalid ? html` aria-invalid="true" aria-describedby="problem"` : html``
}
