import { html, type Html } from '../../site/html.ts'

export interface CookieView {
  field: string
  maxSeconds: number
  isSecure: boolean
}

export function renderCookieFlags({ maxSeconds, isSecure }: CookieView): Html {
  const notHere = isSecure ? '' : html`<strong>Not set</strong>, because you use HTTP. `
  return html`<h2 id="flags">Cookie attributes</h2>
<section class="table" tabindex="0" aria-labelledby="flags"><table>
<thead><tr><th scope="col">Attribute</th><th scope="col">Effect</th></tr></thead>
<tbody>
<tr><th scope="row"><code>HttpOnly</code></th><td>Scripts cannot read the cookie: <code>document.cookie</code> does not contain it, so an injected script cannot steal it.</td></tr>
<tr><th scope="row"><code>SameSite=Lax</code></th><td>Cross-site POST forms and scripts do not send the cookie. Cross-site links and GET forms do.</td></tr>
<tr><th scope="row"><code>Path=/</code></th><td>The cookie is sent with every request to this host. Without <code>Domain</code> it is not sent to any other host.</td></tr>
<tr><th scope="row"><code>Max-Age=${maxSeconds}</code></th><td>The browser deletes the cookie after ${toDuration(maxSeconds)}. The server checks the time itself and does not rely on the browser.</td></tr>
<tr><th scope="row"><code>Secure</code></th><td>${notHere}With <code>Secure</code>, a browser sends the cookie over HTTPS only.</td></tr>
<tr><th scope="row"><code>__Host-</code></th><td>${notHere}A browser accepts a cookie with this prefix only if it has <code>Secure</code> and <code>Path=/</code> and no <code>Domain</code>.</td></tr>
</tbody>
</table></section>`
}

export function toDuration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const parts = seconds < 120 ? { second: seconds } : { hour: hours, minute: minutes }
  return Object.entries(parts)
    .filter(([, amount]) => amount > 0)
    .map(([unit, amount]) => `${String(amount)} ${unit}${amount === 1 ? '' : 's'}`)
    .join(' ')
}
