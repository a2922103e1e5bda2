import { formatDuration } from '../site/assets/size.js'
import { html, type Html } from '../site/html.ts'
import type { Exchange } from './exchange.ts'

/** The stages that happened, one after the other, in milliseconds. */
function toStages({ body, handlerBegin, handlerEnd, firstByte, end }: Exchange['times']) {
  const marks: readonly (readonly [string, number | undefined])[] = [
    ['Receive the request body', body],
    ['Routing and checks', handlerBegin],
    ['Handler', handlerEnd],
    ['Prepare the response', firstByte],
    ['Send the response', end],
  ]
  let from = 0
  return marks.flatMap(([name, at]) => {
    if (at === undefined || at < from) return []
    const stage = { name, from, to: at }
    from = at
    return [stage]
  })
}

/** Bars as SVG, since the CSP allows no inline styles. */
export function renderTiming({ times }: Exchange): Html {
  const total = Math.max(times.end, 0.001)
  const percent = (ms: number) => ((ms / total) * 100).toFixed(2)
  return html`<div class="table" tabindex="0" role="group" aria-label="Timing"><table class="timing">
<thead><tr><th scope="col">Stage</th><th scope="col" class="number">Start</th><th scope="col" class="number">Duration</th><th scope="col">Share</th></tr></thead>
<tbody>
${toStages(times).map(({ name, from, to }) => {
  const bar = html`<rect x="${percent(from)}" width="${percent(Math.max(to - from, total / 200))}" height="8" rx="1"/>`
  return html`<tr><th scope="row">${name}</th><td class="number">${formatDuration(from)}</td><td class="number">${formatDuration(to - from)}</td><td><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${bar}</svg></td></tr>\n`
})}</tbody>
</table></div>
<p class="quiet">From the head of the request, ${formatDuration(times.end)} in total, as the server measured it.</p>
`
}
