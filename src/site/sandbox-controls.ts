import type { FastifyRequest } from 'fastify'
import { formatCount } from '../config/format-count.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { toJoinUrls, toSandboxName } from '../http/request/sandbox-key.ts'
import { renderCommand } from './highlight.ts'
import { html, type Html } from './html.ts'

/** How long a sandbox lasts after its last use: `24 hours`. */
export function toLifetime(seconds: number): string {
  const hours = seconds / 3600
  if (hours >= 1) return formatCount(Math.round(hours * 10) / 10, 'hour')
  return formatCount(Math.ceil(seconds / 60), 'minute')
}

/** Nothing for a page that shared caches may store, and in the sandbox of an address: no link joins it. */
export function renderSandboxBanner(request: FastifyRequest, lifetime: string): Html | string {
  const { sandbox } = request.raw
  if (!sandbox?.tokens) return ''
  const rights = sandbox.isReadOnly
    ? 'You have joined it to read.'
    : 'Only those who use this sandbox see what you write.'
  return html`<details class="sandbox" data-part="sandbox">
<summary>Sandbox <code>${toSandboxName(sandbox)}</code>, which ends ${lifetime} after its last use</summary>
<p>${rights}</p>
${renderSandboxControls(request)}</details>
`
}

/** The links that join it, and what can be done with it. */
export function renderSandboxControls(request: FastifyRequest): Html {
  const { sandbox, sandboxPath, basePath } = request.raw
  // Below `/s/KEY`, scripts find it in their own URL.
  const path =
    sandbox?.tokens && basePath === undefined ? html` data-sandbox="${sandboxPath ?? ''}"` : ''
  const { readUrl, writeUrl } = sandbox ? toJoinUrls(sandbox, toOrigin(request)) : {}
  return html`${writeUrl === undefined ? '' : renderCommand('Link to read and write', writeUrl, 'plain')}${readUrl === undefined ? '' : renderCommand('Link to read', readUrl, 'plain')}<div class="actions"${path}>
<a class="button second" href="/_vitrine/sandbox/export" download>Download as a data file</a>
${sandbox?.isReadOnly ? '' : renderConfirm('reset', 'All changes in this sandbox are lost, for everyone who uses it.')}${sandbox?.isOfCookie ? renderConfirm('leave', 'To come back later, copy a link first. The data stays until the sandbox ends.') : ''}</div>
`
}

function renderConfirm(action: 'reset' | 'leave', consequence: string): Html {
  const name = action === 'reset' ? 'Reset' : 'Leave'
  return html`<details class="confirm"><summary>${name}</summary>
<form method="post" action="/_vitrine/sandbox/${action}"><p>${consequence}</p>
<p><button type="submit" class="danger">Yes, ${action} it</button></p></form>
</details>
`
}
