import { html, type Html } from './html.ts'
import { demoGroups, toDemoPath, type Demo } from './demo.ts'

interface NavigationItem {
  href: string
  label: string
  demo?: string
}

const system: readonly NavigationItem[] = [
  { href: '/learn', label: 'Lessons' },
  { href: '/docs', label: 'Documentation' },
  { href: '/inspector', label: 'Request inspector' },
  { href: '/problems', label: 'Problems' },
]

export type Navigation = (path: string, demo?: string) => Html

export function createNavigation(demos: readonly Demo[]): Navigation {
  const listed = demos.filter(({ isUnlisted }) => !isUnlisted)
  const groups: (readonly [string, readonly NavigationItem[]])[] = [
    ...demoGroups.map(
      (group) => [group, listed.filter((demo) => demo.group === group).map(toItem)] as const,
    ),
    ['System', system],
  ]
  const items = groups.flatMap(([, ofGroup]) => ofGroup)
  const rendered = new Map([undefined, ...items].map((item) => [item, render(groups, item)]))
  return (path, demo = /^\/demos\/([\w-]+)/.exec(path)?.[1]) =>
    rendered.get(items.find((one) => (demo ? one.demo === demo : isBelow(path, one.href)))) ??
    html``
}

function toItem({ name, page = toDemoPath(name), title }: Demo): NavigationItem {
  return { href: page, label: title, demo: name }
}

function isBelow(path: string, href: string): boolean {
  return path.startsWith(href) && ['', '/', '.', '?'].includes(path.charAt(href.length))
}

function render(
  groups: readonly (readonly [string, readonly NavigationItem[]])[],
  current?: NavigationItem,
): Html {
  const lists = groups.map(([title, items]) =>
    items.length === 0
      ? ''
      : html`<h2>${title}</h2>
<ul>
${items.map((item) => html`<li><a href="${item.href}"${item === current ? html` aria-current="page"` : ''}>${item.label}</a></li>\n`)}</ul>
`,
  )
  return html`<nav class="site-nav" id="site-nav" popover aria-label="Site">
<a class="brand" href="/">Vitrine</a>
<div class="groups">
${lists}</div>
<div class="personal"><p data-part="user" hidden></p>
<button type="button" class="second small" data-part="theme" hidden>Theme</button></div>
</nav>
`
}
