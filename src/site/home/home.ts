import type { FastifyInstance } from 'fastify'
import { pageContent } from '../../http/openapi/content.ts'
import { registerRoutes } from '../../http/openapi/route.ts'
import type { Demo, TryOut } from '../demo.ts'
import { html, type Html } from '../html.ts'
import { type Page, sendPage } from '../page.ts'

export function openHome(app: FastifyInstance, demos: readonly Demo[]): void {
  const home = renderHomePage(demos)
  registerRoutes(app, { file: import.meta.filename }, [
    {
      method: 'GET',
      url: '/',
      summary: 'Get the home page, which lists the demos',
      content: pageContent,
      handler: (_, reply) => sendPage(reply, home),
    },
  ])
}

function renderHomePage(demos: readonly Demo[]): Page {
  return {
    title: 'Vitrine',
    heading: 'HTTP demonstrations',
    scripts: ['try.js'],
    main: html`<p class="lead">Vitrine shows how HTTP works. Send requests with a browser, curl or your own
client, and inspect the requests and responses.</p>
<p>The <a href="/docs">documentation</a> describes every route with its parameters and responses.
<a href="/problems">Problems</a> explains every error.</p>
<div class="demos">
${demos.map(renderCard)}</div>`,
  }
}

function renderCard({ name, title, summary, links, tryOut }: Demo): Html {
  const items = links.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>`)
  return html`<section aria-labelledby="demo-${name}">
<h2 id="demo-${name}">${title}</h2>
<p>${summary}</p>
${items.length > 0 ? html`<ul>${items}</ul>` : ''}
${tryOut ? renderTryOut(name, tryOut) : ''}</section>
`
}

function renderTryOut(demo: string, { method, path, fields = {}, file }: TryOut): Html {
  const inputs = Object.entries(fields).map(([name, value]) =>
    renderField(demo, name, 'text', html` value="${value}"`),
  )
  return html`<form class="try" method="${method.toLowerCase()}" action="${path}"${file === undefined ? '' : html` enctype="multipart/form-data"`}>
${inputs}${file === undefined ? '' : renderField(demo, file, 'file', html` required`)}<p class="actions"><button type="submit" class="second">Send</button> <code>${method} ${path}</code></p>
<pre class="response" tabindex="0" hidden></pre>
</form>
`
}

function renderField(demo: string, name: string, type: string, rest: Html): Html {
  const id = `${demo}-${name.replaceAll(/\W+/g, '-')}`
  return html`<p class="field"><label for="${id}"><code>${name}</code></label>
<input type="${type}" id="${id}" name="${name}"${rest}></p>
`
}
