import type { FastifyRequest } from 'fastify'
import { formatCount } from '../config/format-count.ts'
import { toSandboxName } from '../http/request/sandbox-key.ts'
import { html } from '../site/html.ts'
import { renderTime, type Page } from '../site/page.ts'
import { renderSandboxControls, toLifetime } from '../site/sandbox-controls.ts'

interface SandboxPage {
  records: number
  expiresAt: string | null
  sandboxSeconds: number
}

export function renderSandboxPage(
  request: FastifyRequest,
  { records, expiresAt, sandboxSeconds }: SandboxPage,
): Page {
  const { sandbox } = request.raw
  const name = sandbox?.tokens && html` <code>${toSandboxName(sandbox)}</code>`
  const seen = sandbox?.tokens
    ? 'Only those who use it see its data.'
    : 'It is shared by the clients of your network address that send no key.'
  const lasts = expiresAt
    ? html`Without further use, it ends at ${renderTime(expiresAt)}.`
    : html`It is stored when you write something, and ends ${toLifetime(sandboxSeconds)} after its last use.`
  return {
    title: 'Your sandbox',
    hasOwnSandbox: true,
    main: html`<p class="lead">This is the sandbox${name ?? ''}. ${seen}</p>
<p>It has ${formatCount(records, 'record')}. ${lasts}</p>
${sandbox?.isReadOnly ? html`<p>You have joined it to read: requests that change something get 403.</p>\n` : ''}${renderSandboxControls(request)}`,
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
