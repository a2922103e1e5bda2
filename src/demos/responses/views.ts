import { STATUS_CODES } from '../../http/node-http.ts'
import { toOperationId, toTemplate } from '../../http/openapi/document.ts'
import { documentedMethods } from '../../http/openapi/operation.ts'
import type { DeclaredRoute } from '../../http/openapi/route.ts'
import { samples } from '../../site/commands/code.ts'
import { descriptionSchema } from '../../responses/description.ts'
import { renderComposer, toChipData } from '../../site/composer.ts'
import { renderCommand } from '../../site/highlight.ts'
import { html, type Html } from '../../site/html.ts'
import type { Page } from '../../site/page.ts'

interface Place {
  origin: string
  routes: readonly DeclaredRoute[]
  hasFaults: boolean
}

/** The script takes the URL of a preset apart, and so fills in the form. */
const presets = {
  '503 twice, then 200': '/responses/sequence/try-it?steps=503*2,200&retry_after=1',
  '429 with Retry-After': '/responses/custom?status=429&header=Retry-After:+5',
  'Slow JSON':
    '/responses/custom?json={"name":"Ann","items":[1,2,3]}&delay=1&chunk_size=8&pause=0.2',
  'Chunked with trailers': '/responses/custom?body=Hello&framing=chunked&trailer=X-Checksum:+42',
  'Early hints':
    '/responses/custom?body=Hello&early_hint=Link:+</style.css>;+rel=preload;+as=style',
  'Set a cookie': '/responses/custom?body=Hello&cookie=fruit=apple;+Max-Age=60',
  'Body cut off': '/responses/custom?body=Hello&fault=short-body',
}

export function renderResponsesPage({ origin, routes, hasFaults }: Place): Page {
  const url = `${origin}/responses/custom`
  const shown = Object.entries(presets).filter(
    ([, preset]) => hasFaults || !preset.includes('&fault='),
  )
  return {
    title: 'Responses',
    description: 'Describe any HTTP response in one URL, and test what a client does with it.',
    styles: ['composer.css', 'responses.css'],
    scripts: ['responses.js'],
    main: html`<p class="lead">Describe a response, and get a URL that sends it to any client: a browser, curl, or the code
that you test.</p>
<ul class="chips" aria-label="Responses to try">
${shown.map(([label, preset]) => renderPreset(label, encodeURI(preset)))}</ul>
${renderDescription(url, hasFaults)}<h2>Endpoints</h2>
<dl>
${routes.filter(isFirst).map(renderEndpoint)}</dl>
${notes}`,
  }
}

function renderPreset(label: string, path: string): Html {
  return html`<li><a href="${path}" data-fill="${toChipData({ method: 'GET', path })}">${label}</a></li>
`
}

function isFirst({ url }: DeclaredRoute, index: number, routes: readonly DeclaredRoute[]): boolean {
  return url !== '/responses' && routes.findIndex((other) => other.url === url) === index
}

function renderEndpoint({ url, method, summary }: DeclaredRoute): Html {
  const path = toTemplate(url)
  const first = documentedMethods.find((one) => method.includes(one)) ?? 'GET'
  return html`<dt><a href="/docs/${toOperationId({ method: first, path })}"><code>${path}</code></a></dt><dd>${summary}</dd>
`
}

function renderDescription(url: string, hasFaults: boolean): Html {
  const path = '/responses/custom'
  const fields = html`${renderInputs(hasFaults)}<p class="actions"><button type="reset" class="second">Clear</button></p>
`
  return html`<div class="compose">
${renderComposer({ method: 'GET', path }, { action: path, fields })}<section aria-label="Response">
<p class="quiet scripted" role="status" data-part="steps"></p>
<div class="result"><p class="quiet scripted">Send the request to see the exchange here.</p></div>
<div class="scripted commands"><div data-tabs="Command">
${renderCommand('URL', url, 'plain')}${renderCommands(url)}</div></div>
</section>
</div>
`
}

function renderCommands(url: string): readonly Html[] {
  const languages = Object.entries(samples).filter(([label]) => /^(curl|fetch|HTTPie)$/.test(label))
  return languages.map(([label, toSample]) => {
    const command = toSample({ method: 'GET', url, headers: [] })
    // The head of the response is what this page is about.
    return renderCommand(label, command.replace(/^curl/, 'curl -i'))
  })
}

const notes = html`<h2>What to know</h2>
<ul>
<li>A URL can be shared: it always describes the same response. Longer descriptions can be sent as JSON.</li>
<li>All clients that use the key of a sequence, a rate or a cached response share its state, which expires ten minutes
after its last use.</li>
<li>Browsers hide chunks from scripts, and so from this page. <code>curl --raw</code> shows them.</li>
<li>Responses run in a sandbox and cannot set the cookies of Vitrine. Delays, bodies and headers are limited.</li>
</ul>`

function renderInputs(hasFaults: boolean): Html {
  const statuses = Object.keys(STATUS_CODES).filter((code) => Number(code) >= 200)
  return html`<div class="pair">
<p class="field"><label for="status">Status</label> <input id="status" name="status" type="number" min="200" max="599" placeholder="200" list="statuses"><span class="quiet" data-part="phrase"></span></p>
<p class="field"><label for="type">Content-Type</label> <input id="type" name="type" type="text" placeholder="text/plain" list="types"${plain}></p>
</div>
<datalist id="statuses">${statuses.map((code) => html`<option value="${code}">${STATUS_CODES[code] ?? ''}</option>`)}</datalist>
<datalist id="types">${types.map((type) => html`<option value="${type}"></option>`)}</datalist>
${renderRows('header', 'Headers', 'Retry-After: 120')}<fieldset class="rows" data-part="bodies"><legend>Body</legend>
${renderBody('body', 'Text')}${renderBody('json', 'JSON')}${renderBody('base64', 'Base64')}</fieldset>
${renderGroup(
  'Time',
  html`<div class="pair">${renderMember('delay', 'Delay', 'seconds')}${renderMember('chunk_size', 'Chunk size', 'bytes')}${renderMember('pause', 'Pause', 'seconds')}</div>\n`,
)}${renderGroup(
    'Transfer',
    html`<div class="pair">${renderMember('framing', 'Framing', 'automatic')}${renderMember('encoding', 'Encoding', 'none')}</div>
<p><label><input type="checkbox" name="close" value="true"> Close the connection</label></p>
${renderRows('trailer', 'Trailers', 'X-Checksum: 42')}`,
  )}${renderGroup(
    'Cookies and early hints',
    html`${renderRows('cookie', 'Cookies', 'fruit=apple; Max-Age=60')}${renderRows('early_hint', 'Early hints (103)', 'Link: </style.css>; rel=preload')}`,
  )}${renderGroup(
    'Failures',
    html`${hasFaults ? html`<div class="pair">${renderMember('fault', 'Fault', 'none')}${renderMember('seconds', 'Its duration', 'seconds')}</div>\n` : ''}<div class="pair scripted" role="group" aria-label="Failures before the response">
${firstFields.map(renderFirst)}</div>`,
  )}`
}

const plain = html` autocomplete="off" spellcheck="false" autocapitalize="none"`
const types = ['application/json', 'text/plain; charset=utf-8', 'text/csv', 'application/xml']

function renderGroup(title: string, fields: Html): Html {
  return html`<details><summary>${title}</summary>
${fields}</details>
`
}

/** The styles show one empty row. */
function renderRows(name: string, legend: string, placeholder: string): Html {
  const rows = Array.from(
    { length: 8 },
    (_, index) =>
      html`<input type="text" name="${name}" aria-label="${legend} ${index + 1}" placeholder="${index === 0 ? placeholder : ' '}"${plain}>\n`,
  )
  return html`<fieldset class="rows"><legend>${legend}</legend>
${rows}</fieldset>
`
}

function renderBody(name: string, label: string): Html {
  return html`<p class="field"><label for="${name}">${label}</label> <textarea id="${name}" name="${name}" rows="4"${plain}></textarea></p>
`
}

type DescriptionMember =
  'delay' | 'chunk_size' | 'pause' | 'framing' | 'encoding' | 'fault' | 'seconds'

/** `note` is the unit of the member, or the name of its default. */
function renderMember(name: DescriptionMember, label: string, note: string): Html {
  const given = descriptionSchema.properties[name]
  const schema = 'anyOf' in given ? given.anyOf[0] : given
  if ('enum' in schema) {
    const options = schema.enum.map((value) => html`<option>${value}</option>`)
    return html`<p class="field"><label for="${name}">${label}</label> <select id="${name}" name="${name}"><option value="">${note}</option>${options}</select></p>
`
  }
  const step = schema.type === 'integer' ? '1' : 'any'
  return html`<p class="field"><label for="${name}">${label} <span class="quiet">${note}</span></label> <input id="${name}" name="${name}" type="number" min="${schema.minimum}" step="${step}"></p>
`
}

/** Only the script sends the steps of a sequence before the last response. */
const firstFields = [
  { part: 'times', label: 'Fail first', unit: 'times', max: 20 },
  { part: 'status', label: 'With status', unit: 'or 503', max: 599 },
  { part: 'retry_after', label: 'Retry-After', unit: 'seconds', max: 86_400 },
]

function renderFirst({ part, label, unit, max }: (typeof firstFields)[number]): Html {
  return html`<p class="field"><label>${label} <span class="quiet">${unit}</span> <input data-first="${part}" type="number" min="0" max="${max}"></label></p>
`
}
