import { html, type Html } from '../../site/html.ts'

export interface CookieView {
  field: string
  maxSeconds: number
  isSecure: boolean
}

export function renderCookieFlags({ maxSeconds, isSecure }: CookieView): Html {
  const notHere = isSecure ? '' : html`<strong>Not set</strong>, because you use HTTP. `
  return html`<h2>Cookie attributes</h2>
<dl class="flags">
<dt><code>HttpOnly</code></dt><dd>Scripts cannot read the cookie: <code>document.cookie</code> does not contain it, so an injected script cannot steal it.</dd>
<dt><code>SameSite=Lax</code></dt><dd>Cross-site POST forms and scripts do not send the cookie. Cross-site links and GET forms do.</dd>
<dt><code>Path=/</code></dt><dd>The cookie is sent with every request to this host. Without <code>Domain</code> it is not sent to any other host.</dd>
<dt><code>Max-Age=${maxSeconds}</code></dt><dd>The browser deletes the cookie after ${toDuration(maxSeconds)}. The server checks the time itself and does not rely on the browser.</dd>
<dt><code>Secure</code></dt><dd>${notHere}With <code>Secure</code>, a browser sends the cookie over HTTPS only.</dd>
<dt><code>__Host-</code></dt><dd>${notHere}A browser accepts a cookie with this prefix only if it has <code>Secure</code> and <code>Path=/</code> and no <code>Domain</code>.</dd>
</dl>`
}

export function toDuration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const parts = seconds < 120 ? { second: seconds } : { hour: hours, minute: minutes }
  return Object.entries(parts)
    .filter(([, amount]) => amount > 0)
    .map(([unit, amount]) => `${String(amount)} ${unit}${amount === 1 ? '' : 's'}`)
    .join(' ')
}
