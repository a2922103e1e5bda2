import { html, type Html } from '../html.ts'
import { page } from '../page.ts'
import type { Demo, TryOut } from '../demo.ts'

export function homePage(rooms: readonly Demo[]): Html {
  return page({
    title: 'Vitrine',
    heading: 'A glass case for HTTP',
    scripts: ['try.js'],
    main: html`<p class="lead">Every part of the protocol can be seen, tried and tested against here. Point a
browser, curl or your own client at any address, and look at the exchange on the wire.</p>
<p><a href="/docs">The documentation</a> has every route with its parameters and answers;
<a href="/problems">Problems</a> tells what each refusal means.</p>
<div class="demos">
${rooms.map(card)}</div>`,
  })
}

function card({ name, title, summary, links, tryOut }: Demo): Html {
  return html`<section aria-labelledby="room-${name}">
<h2 id="room-${name}">${title}</h2>
<p>${summary}</p>
${linkList(links)}
${tryOut ? tryForm(name, tryOut) : ''}</section>
`
}

function linkList(links: Demo['links']): Html {
  if (links.length === 0) return html``
  return html`<ul>${links.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>`)}</ul>`
}

/** Sends the request as any form would; a script shows the exchange beside it instead. */
function tryForm(room: string, { method, path, fields = {}, file }: TryOut): Html {
  const type = file === undefined ? '' : html` enctype="multipart/form-data"`
  return html`<form class="try" method="${method.toLowerCase()}" action="${path}"${type}>
${Object.entries(fields).map(([name, value]) =>
  textField(`${room}-${name.replaceAll(/\W+/g, '-')}`, name, value),
)}${file === undefined ? '' : fileField(`${room}-${file}`, file)}<p class="actions"><button type="submit" class="second">Send</button> <code>${method} ${path}</code></p>
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
