import type { FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../http/node-http.ts'
import { html, type Html } from './html.ts'
import type { Navigation } from './navigation.ts'
import { renderSandboxBanner } from './sandbox-controls.ts'

export interface Page {
  title: string
  heading?: string
  description?: string
  /** The URL of an image for links to the page on other sites. */
  image?: string
  back?: readonly [string, string] | undefined
  /** The main part has what the banner of a sandbox has. */
  hasOwnSandbox?: boolean
  main: Html
  scripts?: readonly string[]
  styles?: readonly string[]
}

export interface PagePlace {
  server: { navigation: Navigation; footer: Html; sandboxLifetime: string; demoName?: string }
  /** Only its URL for a page that is the same for all. */
  request: FastifyRequest | { url: string }
  getHeader?: (name: string) => unknown
}

/** Before the text is drawn: a font that arrives later moves it. */
const fonts = ['geist-latin-wght-normal.woff2', 'geist-mono-latin-wght-normal.woff2']

export function renderPage(place: PagePlace, { main, ...frame }: Page): string {
  const { opening, closing } = renderPageAround(place, frame)
  return opening.markup + main.markup + closing.markup
}

export function renderPageAround(place: PagePlace, page: Omit<Page, 'main'>) {
  const { server, request } = place
  const { title, heading = title, styles = [], scripts = [] } = page
  const { description = 'Vitrine is a service for learning and testing HTTP.', image, back } = page
  const name = title === 'Vitrine' ? title : `${title} · Vitrine`
  const opening = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<meta property="og:title" content="${name}">
<meta property="og:description" content="${description}">
${image === undefined ? '' : html`<meta property="og:image" content="${image}">\n`}<link rel="icon" href="/assets/icon.svg">
${fonts.map((file) => html`<link rel="preload" href="/assets/${file}" as="font" type="font/woff2" crossorigin>\n`)}<script src="/assets/theme.js"></script>
${['tokens.css', 'base.css', 'components.css', 'exchange.css', ...styles].map((file) => html`<link rel="stylesheet" href="/assets/${file}">\n`)}${['frame.js', ...scripts].map((file) => html`<script type="module" src="/assets/${file}"></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><a class="brand" href="/">Vitrine</a><button type="button" class="second" popovertarget="site-nav">Menu</button></header>
${server.navigation(request.url, server.demoName)}<div class="page">
<main id="main" tabindex="-1">
${page.hasOwnSandbox ? '' : renderBanner(place)}${back ? html`<nav class="back" aria-label="Breadcrumb"><a href="${back[0]}">${back[1]}</a></nav>\n` : ''}<h1>${heading}</h1>
`
  return { opening, closing: html`${inspector}${server.footer}${end}` }
}

function renderBanner(place: PagePlace): Html | string {
  const { server, request } = place
  if (!('raw' in request) || String(place.getHeader?.('cache-control')).startsWith('public'))
    return ''
  return renderSandboxBanner(request, server.sandboxLifetime)
}

const inspector = html`
<details class="inspector"><summary>Request inspector</summary>
<p>Enable JavaScript to see the request and response of this page here. Without JavaScript, use
<a href="/inspector">/inspector</a>.</p>
</details>
</main>`

const end = html`</div>
</body>
</html>
`

export function renderNotice(message: string | Html): Html {
  return html`<p class="notice" role="status">${message}</p>\n`
}

export function renderTime(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}

export function renderStatus(status: number | string): Html {
  return html`<span class="status s${String(status).charAt(0)}">${status} ${STATUS_CODES[status] ?? ''}</span>`
}
