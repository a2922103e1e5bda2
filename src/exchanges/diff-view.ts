import { formatDuration } from '../site/assets/size.js'
import { html, type Html } from '../site/html.ts'
import type { Page } from '../site/page.ts'
import type { DiffLine, DiffPart } from './diff.ts'
import { renderOutcome } from './exchange-view.ts'
import type { Exchange } from './exchange.ts'
import { renderMethod } from '../site/highlight.ts'

const marks = { same: ' ', removed: '−', added: '+' }
const contextLines = 3

export function renderDiffPage(
  [one, other]: readonly [Exchange, Exchange],
  parts: readonly DiffPart[],
  toUrl: (id: string) => string,
): Page {
  const side = (mark: string, exchange: Exchange) =>
    html`<p class="line"><span class="mark">${mark}</span> ${renderMethod(exchange.method)} <a href="${toUrl(exchange.id)}"><code>${exchange.target}</code></a> ${renderOutcome(exchange)}
<span class="quiet">${exchange.receivedAt.slice(0, 23).replace('T', ' ')} UTC, ${formatDuration(exchange.ms)}</span></p>\n`
  return {
    title: 'Compare two requests',
    styles: ['inspector.css'],
    main: html`<div class="diff">
${side('−', one)}${side('+', other)}${parts.filter((part) => !isFolded(part)).map(renderPart)}${renderFolded(parts.filter(isFolded))}</div>`,
  }
}

const isSame = ({ lines }: DiffPart) => lines.every(({ kind }) => kind === 'same')
const isFolded = (part: DiffPart) => part.isFolded === true || isSame(part)

function renderPart({ name, lines, note }: DiffPart): Html {
  return html`<h2>${name}</h2>
${note === undefined ? '' : html`<p class="quiet">${note}</p>\n`}<pre tabindex="0"><code>${toHunks(lines).map(renderLine)}</code></pre>
`
}

/** What is equal, and what differs between any two exchanges. */
function renderFolded(parts: readonly DiffPart[]): Html {
  return html`${parts.map((part) => {
    const { name, lines } = part
    const isEmpty = lines.every(({ text }) => text === '')
    const state = isSame(part) ? (isEmpty ? ': none' : ': equal') : ''
    if (isEmpty) return html`<p class="quiet">${name}${state}</p>\n`
    return html`<details><summary>${name}${state}</summary>
<pre tabindex="0"><code>${lines.map(renderLine)}</code></pre></details>\n`
  })}`
}

function renderLine({ kind, text }: DiffLine): Html {
  const line = `${`${marks[kind]} ${text}`.trimEnd()}\n`
  if (kind === 'same') return html`${line}`
  return kind === 'added' ? html`<ins>${line}</ins>` : html`<del>${line}</del>`
}

function toHunks(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>()
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    for (let at = index - contextLines; at <= index + contextLines; at += 1) near.add(at)
  }
  return lines.flatMap((line, index) => {
    if (near.has(index)) return [line]
    return near.has(index - 1) || index === 0 ? [{ kind: 'same', text: '…' } as const] : []
  })
}
