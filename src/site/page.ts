import { html, type Html } from './html.ts'

const siteName = 'Vitrine'

export interface Page {
  title: string
  /** What stands above the page; the title when unset. */
  heading?: string
  main: Html
  /** Names of scripts in `assets/` that the page works without. */
  scripts?: readonly string[]
}

/** A whole document around `main`. */
export function page({ title, heading, main, scripts }: Page): Html {
  const { opening, closing } = pageAround(title, scripts, heading)
  return html`${opening}${main}${closing}`
}

/** The two halves of a document, for a page whose `main` is streamed between them. */
export function pageAround(
  title: string,
  scripts: readonly string[] = [],
  heading = title,
): { opening: Html; closing: Html } {
  const opening = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title === siteName ? siteName : `${title} · ${siteName}`}</title>
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
  const closing = html`
<details class="wire"><summary>On the wire</summary>
<p>The exchange that brought this page is shown here by a script. Without it, <a href="/inspector">see how</a>.</p>
</details>
</main>
<footer><p>Vitrine, a glass case for HTTP.</p></footer>
</body>
</html>
`
  return { opening, closing }
}

/** A time for people, to the minute; `iso` is ISO 8601 in UTC. */
export function time(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}
