import { html, type Html } from '../html.ts'
import { page } from '../page.ts'
import type { Demo, TryOut } from '../demo.ts'

export function homePage(demos: readonly Demo[]): Html {
  return page({
    title: 'Vitrine',
    heading: 'A glass case for HTTP',
    scripts: ['try.js'],
    main: html`<p class="lead">See, try and test every part of HTTP. Send a request with a browser, curl or
your own client, and inspect the request and the response.</p>
<p>The <a href="/docs">documentation</a> describes every route with its parameters and responses.
<a href="/problems">Problems</a> explains every error.</p>
<div class="demos">
${demos.map(card)}</div>`,
  })
}

function card({ name, title, summary, links, tryOut }: Demo): Html {
  return html`<section aria-labelledby="demo-${name}">
<h2 id="demo-${name}">${title}</h2>
<p>${summary}</p>
${linkList(links)}
${tryOut ? tryForm(name, tryOut) : ''}</section>
`
}

function linkList(links: Demo['links']): Html {
  if (links.length === 0) return html``
  return html`<ul>${links.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>`)}</ul>`
}

/** A plain form. With scripts the response is shown below it. */
function tryForm(demo: string, { method, path, fields = {}, file }: TryOut): Html {
  const type = file === undefined ? '' : html` enctype="multipart/form-data"`
  return html`<form class="try" method="${method.toLowerCase()}" action="${path}"${type}>
${Object.entries(fields).map(([name, value]) =>
  textField(`${demo}-${name.replaceAll(/\W+/g, '-')}`, name, value),
)}${file === undefined ? '' : fileField(`${demo}-${file}`, file)}<p class="actions"><button type="submit" class="second">Send</button> <code>${method} ${path}</code></p>
<pre class="response" tabindex="0" hidden></pre>
</form>
`
}

function textField(id: string, name: string, value: string): Html {
  return html`<p class="field"><label for="${id}"><code>${name}</code></label>
<input type="text" id="${id}" name="${name}" value="${value}"></p>
`
}

function fileField(id: string, name: string): Html {
  return html`<p class="field"><label for="${id}"><code>${name}</code></label>
<input type="file" id="${id}" name="${name}" required></p>
`
}
