import type { Config } from '../../config/config.ts'
import { renderComposer, toChipData } from '../composer.ts'
import { demoGroups, toDemoPath, type Demo } from '../demo.ts'
import { html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { type SampleRequest, toRequest, toTarget } from '../sample-request.ts'

const inspectorLink = html`<a href="/inspector">request inspector</a>`
const inspectorSentences = {
  all: html` The ${inspectorLink} shows the requests of all clients as they end.`,
  own: html` The ${inspectorLink} shows your requests as they end.`,
  off: '',
}

export function renderHomePage(demos: readonly Demo[], inspector: Config['inspector']): Page {
  return {
    title: 'Vitrine',
    heading: 'Send a request, see the exchange',
    description:
      'Send HTTP requests from the browser, curl or your own client, and see every header of the request and the response.',
    styles: ['composer.css', 'home.css'],
    scripts: ['send.js'],
    main: html`<p class="lead">New to HTTP? Start with the <a href="/learn">lessons</a>. Send requests from this page, with curl or with your own client.${inspectorSentences[inspector]}</p>
${renderPanel(demos)}${[...demoGroups, undefined].map((group) =>
      renderGroup(
        group ?? 'Others',
        demos.filter((demo) => demo.group === group),
      ),
    )}<p class="quiet">The <a href="/docs">documentation</a> describes every route. <a href="/problems">Problems</a>
explains every error.</p>`,
  }
}

function renderPanel(demos: readonly Demo[]): Html {
  const featured = demos.flatMap((demo) =>
    (demo.samples ?? []).flatMap((sample) => (sample.featured ? { demo, sample } : [])),
  )
  const [first] = featured
  if (first === undefined) return html``
  return html`<section class="panel" aria-labelledby="composer">
<h2 id="composer" class="unseen">Send a request</h2>
${renderComposer({ ...toRequest(first.sample), bodies: undefined })}<p class="unscripted">Enable JavaScript to send requests from this page. Without it, these links open requests and the pages of demos.</p>
<ul class="chips" aria-label="Requests to try">
${featured.map(renderChip)}</ul>
<div class="result"></div>
</section>
`
}

function renderChip({ demo, sample }: { demo: Demo; sample: SampleRequest }): Html {
  const { method, featured = '' } = sample
  const href = method === 'GET' ? toTarget(sample) : toDemoPath(demo.name)
  return html`<li><a href="${href}" data-fill="${toChipData(toRequest(sample))}">${featured}</a></li>
`
}

function renderGroup(title: string, demos: readonly Demo[]): Html {
  if (demos.length === 0) return html``
  const isLarge = title === demoGroups[0]
  return html`<section aria-labelledby="${toId(title)}">
<h2 id="${toId(title)}">${title}</h2>
<ul class="${isLarge ? 'cards' : 'demos'}">
${demos.map(
  ({
    name,
    title,
    summary,
    page,
  }) => html`<li${isLarge ? html` class="card"` : ''}><h3><a href="${page ?? toDemoPath(name)}">${title}</a></h3>
<p>${summary}</p>${
    page === undefined
      ? ''
      : html`
<p class="quiet"><a href="${toDemoPath(name)}" aria-label="Sample requests for ${title.toLowerCase()}">Sample requests</a></p>`
  }</li>
`,
)}</ul>
</section>
`
}

function toId(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}
