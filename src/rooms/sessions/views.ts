import { html, type Html } from '../../http/html.ts'
import { page, time } from '../../http/page.ts'
import type { Visit } from './visits.ts'

export function loginPage({ username = '', problem = '' } = {}): Html {
  return page({
    title: 'Log in',
    main: html`${problem === '' ? '' : html`<p class="error" role="alert">${problem}</p>\n`}<form method="post" action="/login">
<p class="field"><label for="username">Name</label>
<input type="text" id="username" name="username" autocomplete="username" required value="${username}"></p>
<p class="field"><label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required></p>
<p class="actions"><button type="submit">Log in</button></p>
</form>
<p>Nobody yet? <a href="/users/new">Make a user</a> first.</p>`,
  })
}

export function sessionPage({ user, session }: Visit, endsAt: string): Html {
  return page({
    title: 'Session',
    main: html`<dl>
<dt>User</dt><dd><a href="/users/${user.id}">${String(user.document.name)}</a></dd>
<dt>Since</dt><dd>${time(session.createdAt)}</dd>
<dt>Until</dt><dd>${time(endsAt)}</dd>
</dl>
<div class="actions"><form method="post" action="/logout"><button type="submit">Log out</button></form></div>`,
  })
}
