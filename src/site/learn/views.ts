import { renderComposer, type ComposerRequest } from '../composer.ts'
import { renderCommand } from '../highlight.ts'
import { html, type Html } from '../html.ts'
import { renderInline, renderMarkdown } from '../markdown.ts'
import type { Page } from '../page.ts'
import { renderFileField, renderTextField } from '../sample-request.ts'
import { withName, type Lesson, type LessonStep } from './lesson.ts'
import { toTexts } from './request-text.ts'

interface Place {
  origin: string
  openDemos: readonly string[]
  name: string
}

export function renderLessons(lessons: readonly Lesson[]): Page {
  const items = lessons.map(
    ({ slug, title, summary, minutes }) => html`<li><a href="/learn/${slug}">${title}</a>
<p>${summary} <span class="quiet">${minutes} minutes</span></p></li>
`,
  )
  const minutes = lessons.reduce((sum, lesson) => sum + lesson.minutes, 0)
  return {
    title: 'Lessons',
    description: 'Eight short lessons about HTTP, each with requests to send and inspect.',
    styles: ['learn.css'],
    main: html`<p class="lead">Learn HTTP by sending requests. Each lesson has three or four, and
explains what to look for in the request and the response.</p>
<ol class="lessons">
${items}</ol>
<p class="quiet">All lessons together take ${minutes} minutes. They build on each other, but each one
works alone. The curl commands need curl 7.84 or newer. They are for Bash, and on Windows for Git Bash or the command
prompt (cmd), not for PowerShell. The Send buttons need no terminal.</p>`,
  }
}

export function renderLesson(lessons: readonly Lesson[], lesson: Lesson, place: Place): Page {
  const { title, summary, minutes, introduction, steps } = lesson
  const index = lessons.indexOf(lesson)
  const link = (other: Lesson | undefined, rel: string, label: string) =>
    other
      ? html`<a rel="${rel}" href="/learn/${other.slug}"><span class="quiet">${label}</span> ${other.title}</a>\n`
      : ''
  return {
    title,
    description: summary,
    styles: ['composer.css', 'learn.css'],
    scripts: ['send.js'],
    back: ['/learn', 'All lessons'],
    main: html`<p class="lead">${summary}</p>
<p class="quiet">Lesson ${index + 1} of ${lessons.length}, ${minutes} minutes</p>
${renderMarkdown(introduction)}${steps.map((step, at) => renderStep(withName(step, place.name), at + 1, place))}<nav class="pager" aria-label="Lessons">
${link(lessons[index - 1], 'prev', 'Previous lesson')}${link(lessons[index + 1], 'next', 'Next lesson')}</nav>`,
  }
}

function renderStep(step: LessonStep, number: number, { origin, openDemos }: Place): Html {
  const isOpen = step.demo === undefined || openDemos.includes(step.demo)
  const { text, curl, windows } = toTexts(step, origin)
  const result = html`<div class="result" hidden></div>\n`
  const commands = html`<div data-tabs="Shell">${renderCommand('curl', curl)}${windows ? renderCommand('Windows (cmd)', windows) : ''}</div>\n`
  const crossSite = html`<p class="note scripted">The Send button sends <code>Origin: null</code> in place of this <code>Origin</code>.</p>\n`
  return html`<section class="step" aria-labelledby="request-${number}">
<h2 id="request-${number}">${number}. ${step.title}</h2>
<p>${renderInline(step.why)}</p>
<div class="sides">
<div>${renderCommand('Request', text, 'head')}${isOpen ? renderPlaceholders(text) : ''}${isOpen && step.isCrossSite ? crossSite : ''}${
    // The points can have links to the pages of the demo.
    isOpen
      ? html`${renderSender(step, number)}<h3>What to look for</h3>
<ul>
${step.lookFor.map((point) => html`<li>${renderInline(point)}</li>\n`)}</ul>
`
      : html`<p class="notice">This request needs the demo <code>${step.demo ?? ''}</code>, which this service does not have. See the setting <code>DEMOS</code>.</p>\n`
  }</div>
${isOpen ? html`<div>${result}${commands}</div>\n` : ''}</div>
</section>
`
}

function renderPlaceholders(text: string): Html {
  const etag = html`<code>ETAG</code> with the text between the quotation marks of <code>ETag</code>`
  const id = html` and <code>ID</code> with the last segment of <code>Location</code>`
  return text.includes('"ETAG"')
    ? html`<p class="note" data-part="placeholders">Replace ${etag}${text.includes('/ID ') ? id : ''} in the response to request 1.</p>
`
    : html``
}

/** Without JavaScript a form sends the request, if it can. */
function renderSender(step: LessonStep, number: number): Html {
  const { path, fields = {}, file, isCrossSite = false, withoutScript } = step
  const inputs = Object.entries(fields).map(([name, value]) =>
    renderTextField(`${name}-${String(number)}`, name, value),
  )
  const all = [...inputs, ...(file ? [renderFileField(file, file)] : [])]
  const action = withoutScript ? undefined : path
  const instead = withoutScript
    ? html`<noscript><p class="note">${renderInline(withoutScript)}</p></noscript>\n`
    : ''
  return html`${renderComposer(toRequest(step), { action, isCrossSite, fields: all.length > 0 ? html`${all}` : undefined })}${instead}`
}

function toRequest(step: LessonStep): ComposerRequest {
  const { method, path, headers = {}, fields, file } = step
  const { Accept: accept, 'Content-Type': given, ...others } = headers
  const form = new URLSearchParams(fields).toString()
  const isQuery = method === 'GET' && form !== ''
  const type = file ? 'multipart/form-data' : (given ?? 'application/x-www-form-urlencoded')
  const text = file || isQuery ? '' : given ? JSON.stringify(fields) : form
  const bodies = fields || file ? [{ type, text }] : undefined
  const target = isQuery ? `${path}?${form}` : path
  return { method, path, target, accept, headers: Object.entries(others), bodies }
}
