import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'

export interface Page {
  title: string
  heading?: string
  main: Html
  scripts?: readonly string[]
}

export function page({ title, heading, main, scripts }: Page): Html {
  const { opening, closing } = renderPageAround(title, scripts, heading)
  return html`${opening}${main}${closing}`
}

/** The markup before and after `main`, for a page whose `main` is streamed. */
export function renderPageAround(title: string, scripts: readonly string[] = [], heading = title) {
  const opening = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title === 'Vitrine' ? title : `${title} · Vitrine`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/simple.min.css">
<link rel="stylesheet" href="/assets/vitrine.css">
${[...scripts, 'inspector.js'].map((name) => html`<script src="/assets/${name}" defer></script>\n`)}</head>
<body>
<header>
<nav aria-label="Site"><a class="brand" href="/">Vitrine</a><a href="/docs">Documentation</a><a href="/problems">Problems</a></nav>
<h1>${heading}</h1>
</header>
<main>
`
  return { opening, closing }
}

const closing = html`
<details class="inspector"><summary>Request inspector</summary>
<p>Enable JavaScript to see the request and response of this page here. Without JavaScript, use
<a href="/inspector">/inspector</a>.</p>
</details>
</main>
<footer><p>Vitrine is a service for learning and testing HTTP.</p></footer>
</body>
</html>
`

export function sendPage(reply: FastifyReply, { markup }: Html): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(markup)
}

export function renderTime(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}
