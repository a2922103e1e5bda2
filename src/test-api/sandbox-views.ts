import { formatCount } from '../config/format-count.ts'
import { html } from '../site/html.ts'
import { renderTime, type Page } from '../site/page.ts'

interface SandboxPage {
  records: number
  expiresAt: string | null
  isReadOnly: boolean
  sandboxSeconds: number
  readUrl?: string
  writeUrl?: string
}

export function renderSandboxPage(page: SandboxPage): Page {
  const { records, expiresAt, isReadOnly, sandboxSeconds, readUrl, writeUrl } = page
  const hours = formatCount(Math.round((sandboxSeconds / 3600) * 10) / 10, 'hour')
  const lasts = expiresAt
    ? html`Without further use, it ends at ${renderTime(expiresAt)}.`
    : html`It is stored when you write something, and ends ${hours} after its last use.`
  const toLink = (label: string, url: string | undefined) =>
    url === undefined
      ? ''
      : html`<p><label>${label} <input type="text" readonly size="60" value="${url}"></label></p>\n`
  return {
    title: 'Your sandbox',
    main: html`<p class="lead">The data of this sandbox is seen in it only. It has ${formatCount(records, 'record')}. ${lasts}</p>
<h2>Share it</h2>
${toLink('To read', readUrl)}${toLink('To read and write', writeUrl)}<div class="actions">
<a class="button second" href="/_vitrine/sandbox/export" download>Download as a data file</a>
${isReadOnly ? '' : html`<form method="post" action="/_vitrine/sandbox/reset"><button type="submit" class="second">Reset</button></form>\n`}<form method="post" action="/_vitrine/sandbox/leave"><button type="submit" class="second">Leave</button></form>
</div>
`,
  }
}

export function renderJoinPage({
  token,
  isReadOnly,
}: {
  token: string
  isReadOnly: boolean
}): Page {
  return {
    title: 'Join a sandbox',
    main: html`<p class="lead">Someone shares a sandbox with you, ${isReadOnly ? 'to read' : 'to read and write'}. Until you leave it,
this browser sees its data instead of that of your own sandbox or the shared data.</p>
<form method="post" action="/s/join/${token}"><button type="submit">Join</button></form>
`,
  }
}
