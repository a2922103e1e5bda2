import type { NearestStub } from '../http/recording.ts'
import { explainDifference } from '../responses/conditions.ts'
import { html, type Html } from '../site/html.ts'
import type { Page } from '../site/page.ts'
import type { Stub } from '../stubs/stub-list.ts'

const shownRequests = 20

export interface SeenRequest {
  id: string
  method: string
  target: string
  stub?: string | undefined
  alternative?: number | undefined
  nearest?: NearestStub | undefined
}

interface StubsView {
  stubs: readonly Stub[]
  /** The latest first. */
  requests: readonly SeenRequest[]
  text: string
  problem?: string | undefined
}

export function renderStubsPage({ stubs, requests, text, problem }: StubsView): Page {
  const missed = requests.filter(({ nearest }) => nearest).slice(0, shownRequests)
  return {
    title: 'Stubs',
    main: html`<p class="lead">A stub responds to a method and a path. The first one that matches responds. Changes are lost at a restart.</p>
${
  stubs.length === 0
    ? html`<p>No stubs yet.</p>\n`
    : renderTable(
        'Stubs',
        ['Stub', 'Alternatives', 'Latest request'],
        stubs.map((stub) => renderStub(stub, requests)),
      )
}${missed.length === 0 ? '' : html`<h2>Requests to which no stub responded</h2>\n${renderTable('Requests', ['Request', 'Nearest stub', 'It needs'], missed.map(renderMissed))}`}<h2>Edit the stubs</h2>
${renderEditor(text, problem)}<p class="quiet"><a href="/_vitrine/requests">The received requests</a> with their bodies, as JSON.</p>
`,
  }
}

function renderTable(label: string, heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="listing"><section class="table" tabindex="0" aria-label="${label}"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></section></div>
`
}

const toLink = ({ id, method, target }: SeenRequest) =>
  html`<a href="/inspector/${id}"><code>${method} ${target}</code></a>`

function renderStub({ name, alternatives }: Stub, requests: readonly SeenRequest[]): Html {
  const latest = requests.find(({ stub }) => stub === name)
  const number = latest?.alternative ?? 1
  const which = alternatives.length < 2 ? '' : `, alternative ${String(number)}`
  return html`<tr><th scope="row"><code>${name}</code></th><td>${String(alternatives.length)}</td><td>${latest ? html`${toLink(latest)}${which}` : 'none'}</td></tr>
`
}

function renderMissed(request: SeenRequest): Html {
  const { stub = '', differences = [] } = request.nearest ?? {}
  const needs = differences.map(explainDifference).join('; ')
  return html`<tr><th scope="row">${toLink(request)}</th><td><code>${stub}</code></td><td>${needs || 'another name'}</td></tr>
`
}

function renderEditor(text: string, problem: string | undefined): Html {
  const invalid = html` aria-invalid="true" aria-describedby="problem" autofocus`
  return html`<form method="post" action="/_vitrine/responses">
<input type="hidden" name="_method" value="PUT">
<div class="field"><label for="responses">All stubs, in YAML or JSON</label>
<textarea id="responses" name="responses" rows="16" class="code" spellcheck="false"${problem === undefined ? '' : invalid}>
${text}</textarea>
${problem === undefined ? '' : html`<span class="error" id="problem">${problem}</span>\n`}</div>
<p class="actions"><button type="submit">Save</button></p>
</form>
<form method="post" action="/_vitrine/responses"><input type="hidden" name="_method" value="DELETE">
<p class="actions"><button type="submit" class="second">Return to the stubs of the file</button></p>
</form>
`
}
