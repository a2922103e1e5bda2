// Shows exchanges as the server recorded and rendered them, with the diagram of their chain, and what only the
// browser knows: hops to other hosts, all hops if nothing is recorded, and bodies that are not recorded.
import { bodyView, completeBodies, headView } from './body.js'
import { completeCommands } from './commands.js'
import { create, fetchPage } from './dom.js'

/** The part of an inspector page with exchanges, if it has any. */
export async function fetchChain(path) {
  const view = (await fetchPage(path)).querySelector('[data-part=chain]')
  return view?.querySelector('[data-exchange]') ? view : undefined
}

const heads = { request: 'M-7-4 0 0l-7 4', response: 'M7-4 0 0l7 4' }

/** As in `diagram-view.ts`. */
function arrow(side) {
  const template = create('template')
  template.innerHTML = `<svg class="arrow" height="9" aria-hidden="true"><line x2="100%" y1="4.5" y2="4.5"/><svg x="${side === 'request' ? '100%' : '1'}" y="4.5" overflow="visible"><path d="${heads[side]}"/></svg></svg>`
  return template.content
}

function hop({ id, request, response }) {
  const parts = [
    create('span', {}, ...request, arrow('request')),
    create('span', {}, arrow('response'), ...response),
  ]
  const link = id
    ? create('a', { href: `/inspector/${id}` }, ...parts)
    : create('div', {}, ...parts)
  return create('li', {}, link)
}

function diagram(hops) {
  const label = 'Requests and responses of this chain, in their order'
  const ends = ['Browser', 'Server'].map((text) => create('span', {}, text))
  return [
    create('p', { class: 'ends', 'aria-hidden': 'true' }, ...ends),
    create('ol', { class: 'diagram', 'aria-label': label }, ...hops.map(hop)),
  ]
}

const spaced = (elements) => [...elements].flatMap((element) => [element.cloneNode(true), ' '])

function toHop(exchange) {
  const line = exchange.querySelector('.line')
  return {
    id: exchange.dataset.exchange,
    request: spaced(line.querySelectorAll('.method, code')),
    response: [...spaced(line.querySelectorAll('.status, .quiet')), ...toCause(exchange)],
  }
}

/** The location of a redirect, because of which the next request was sent. */
function toCause(exchange) {
  const name = exchange.querySelector('.mattered dt')
  if (name?.textContent !== 'location') return []
  const value = name.nextElementSibling.querySelector('code').textContent
  return [create('code', {}, `location: ${value}`)]
}

export function statusPill({ status, statusText = '' }) {
  return create('span', { class: `status s${String(status)[0]}` }, `${status} ${statusText}`.trim())
}

const method = (name) => create('span', { class: `method ${name.toLowerCase()}` }, name)
const quiet = (text) => create('span', { class: 'quiet' }, text)

/** What the browser saw of a request that is not recorded. */
function toSeenHops({ request, response, error, view }) {
  const last = view?.querySelector('.exchange:last-of-type')
  const to = last && /^location: (.*)$/.exec(toCause(last)[0]?.textContent)?.[1]
  const seen = (name, url, ...outcome) => ({
    request: [method(name), ' ', create('code', {}, url)],
    response: outcome,
  })
  if (error && to) return [seen('GET', to, quiet('The browser got no response that it may show.'))]
  if (view || !response?.redirected) return []
  const { origin, href, pathname, search } = new URL(response.url)
  const url = origin === location.origin ? pathname + search : href
  return [
    seen(request.method, request.target, quiet('Redirects, which the browser does not show')),
    seen('GET', url, statusPill(response)),
  ]
}

/** One element for the results of requests that belong together. */
export function toChainView(results) {
  const view = mergeChains(results.map(toView), results.flatMap(toSeenHops))
  addTimes(view, results.at(-1))
  complete(view)
  return view
}

function addTimes(view, { progress, ms }) {
  if (progress?.headMs === undefined || ms === undefined) return
  const times = progress.times(ms)
  const place = [...view.querySelectorAll('[data-part=timing] > figcaption')].at(-1)
  if (place) place.after(...times)
  else view.querySelector('[data-tabs]').append(part('Timing', times))
}

/** Each exchange once, and a diagram if the server has not drawn one. */
export function mergeChains(views, seen = []) {
  const view = views.at(-1)
  const find = (one) => [...one.querySelectorAll('.exchange')]
  const known = new Set(find(view).map(({ dataset }) => dataset.exchange))
  const others = views.slice(0, -1).flatMap(find)
  const added = others.filter(({ dataset }) => !known.has(dataset.exchange))
  const drawn = view.querySelector('.diagram')
  if (drawn) drawn.after(...added)
  else view.prepend(...added)
  if (drawn) drawn.append(...seen.map(hop))
  else {
    const hops = [
      ...find(view)
        .filter(({ dataset }) => dataset.exchange)
        .map(toHop),
      ...seen,
    ]
    if (hops.length > 1) view.prepend(...diagram(hops))
  }
  return view
}

function part(name, content) {
  const caption = create('figcaption', {}, name)
  return create('figure', { class: 'part', 'data-part': name.toLowerCase() }, caption, ...content)
}

function toView(result) {
  const { view, isCutOff, error } = result
  if (!view) {
    const { request, response } = result
    const { headers } = response
    const line = [method(request.method), ' ', create('code', {}, request.target), ' ']
    const parts = create('div', { 'data-tabs': 'Exchange' })
    parts.append(part('Body', bodyView(result)), part('Headers', [headView(headers)]))
    const exchange = create('div', { class: 'exchange' })
    exchange.append(create('p', { class: 'line' }, ...line, statusPill(response)), parts)
    return create('div', { 'data-part': 'chain' }, exchange)
  }
  const body = [...view.querySelectorAll('[data-part=body]')].at(-1)
  // The server may not have recorded the body, or sent more of it than arrived.
  const isImage = /^image\//.test(result.response?.headers.get('content-type'))
  const known = isImage ? '[data-kind]:not(.hex)' : '[data-kind]'
  const isMissing = isCutOff || !body?.querySelector(known)
  if (!error && body && isMissing && result.bytes?.length !== 0) {
    for (const old of body.querySelectorAll(':scope > [data-kind], :scope > .quiet')) old.remove()
    body.querySelector('figcaption').after(...bodyView(result))
  }
  return view
}

/** Adds what needs a script, and shows one exchange of a chain: the last. */
export function complete(view) {
  completeCommands(view)
  completeBodies(view)
  view.addEventListener('click', chooseHop)
  choose(view, [...view.querySelectorAll('.exchange')].at(-1))
}

function choose(view, chosen) {
  const id = chosen?.dataset.exchange
  for (const one of view.querySelectorAll('.exchange')) one.hidden = one !== chosen
  for (const link of view.querySelectorAll('.diagram a'))
    link.ariaCurrent = id && link.pathname.endsWith(`/${id}`) ? 'true' : null
}

async function chooseHop(event) {
  const link = event.target.closest('.diagram a')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const view = link.closest('[data-part=chain]')
  const id = link.pathname.split('/').at(-1)
  const find = () => view.querySelector(`[data-exchange="${id}"]`)
  if (!find()) {
    const page = await fetchChain(link.pathname)
    const other = page?.querySelector('[data-exchange]')
    if (!other) return
    view.append(other)
    completeCommands(other)
    completeBodies(other)
  }
  choose(view, find())
}
