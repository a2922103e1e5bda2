import { html, type Html } from '../../site/html.ts'

/** The session's cookie as its page shows it. */
export interface CookieView {
  /** As Set-Cookie has it, with the id masked. */
  field: string
  maxSeconds: number
  isSecure: boolean
}

/** What each attribute of the cookie is for, and which of them this connection has. */
export function cookieFlags({ maxSeconds, isSecure }: CookieView): Html {
  const onlyByHttps = isSecure
    ? ''
    : html`<strong>Not on this connection</strong>, which is plain HTTP. `
  return html`<h2>What the cookie says of itself</h2>
<dl class="flags">
<dt><code>HttpOnly</code></dt><dd>Scripts cannot read it: <code>document.cookie</code> does not have it, so a script that got in cannot carry it away.</dd>
<dt><code>SameSite=Lax</code></dt><dd>Forms and scripts of other sites do not send it. A link from there does, so that you arrive logged in.</dd>
<dt><code>Path=/</code></dt><dd>It goes with every request to this host, and without <code>Domain</code> to no other.</dd>
<dt><code>Max-Age=${maxSeconds}</code></dt><dd>The browser forgets it after ${toDuration(maxSeconds)}. The server keeps the time itself, and trusts no browser with that.</dd>
<dt><code>Secure</code></dt><dd>${onlyByHttps}Over HTTPS it has this too, and is never sent without.</dd>
<dt><code>__Host-</code></dt><dd>${onlyByHttps}Over HTTPS its name begins so: a browser then takes it only with <code>Secure</code>, from this very host, and not from a subdomain.</dd>
</dl>`
}

/** `30 minutes`, `12 hours`, `1 hour 30 minutes`, `100 seconds` */
export function toDuration(seconds: number): string {
  if (seconds < 120) return count(seconds, 'second')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return count(minutes, 'minute')
  const rest = minutes % 60
  const hours = count(Math.floor(minutes / 60), 'hour')
  return rest === 0 ? hours : `${hours} ${count(rest, 'minute')}`
}

function count(amount: number, unit: string): string {
  return `${String(amount)} ${unit}${amount === 1 ? '' : 's'}`
}
