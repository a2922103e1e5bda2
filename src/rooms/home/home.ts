import type { FastifyInstance } from 'fastify'
import { html, type Html } from '../../http/html.ts'
import { page } from '../../http/page.ts'
import { sendPage } from '../../http/send.ts'
import type { Room } from '../../room.ts'

/** `GET /`: what this is, and a map of the rooms that are mounted. Always there. */
export function openHome(app: FastifyInstance, rooms: readonly Room[]): void {
  const home = homePage(rooms)
  app.get('/', (_, reply) => sendPage(reply, home))
}

function homePage(rooms: readonly Room[]): Html {
  return page({
    title: 'Vitrine',
    main: html`<p>A glass case for HTTP: every part of the protocol can be seen, tried and tested against here.
Point a browser, curl or your own client at any address below.</p>
${rooms.map(
  ({ name, title, summary, links }) => html`<section aria-labelledby="room-${name}">
<h2 id="room-${name}">${title}</h2>
<p>${summary}</p>
${linkList(links)}
</section>
`,
)}`,
  })
}

function linkList(links: Room['links']): Html {
  if (links.length === 0) return html``
  return html`<ul>${links.map(({ href, label }) => html`<li><a href="${href}">${label}</a> <code>${href}</code></li>`)}</ul>`
}
