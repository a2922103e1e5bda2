// Copy buttons and tabs, for commands and other code.
import { create, findSandbox, local } from './dom.js'

function copyButton(toText) {
  const button = create('button', { type: 'button', class: 'second small' }, 'Copy')
  button.addEventListener('click', async () => {
    await copy(toText())
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
  return button
}

export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Undefined over plain HTTP, except on the same computer.
  const area = create('textarea', {}, text)
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

const toBelow = (path) => (path.startsWith(`${findSandbox()}/`) ? path : findSandbox() + path)

/** Adds the copy buttons and tabs that are missing. */
export function completeCommands(within) {
  for (const figure of within.querySelectorAll('figure.command:not(:has(button))')) {
    const caption = figure.querySelector('figcaption')
    const code = figure.querySelector('code')
    const toText = () => code.dataset.copy && location.origin + toBelow(code.dataset.copy)
    caption.append(copyButton(() => toText() ?? code.textContent))
  }
  for (const group of within.querySelectorAll('[data-tabs]:not(:has([role=tablist]))')) {
    showAsTabs(group)
  }
}

/** Shows the figures of a group one at a time. The chosen one is remembered by its caption. */
function showAsTabs(group) {
  const list = create('div', { role: 'tablist', 'aria-label': group.dataset.tabs })
  const tabs = Array.from(group.children, (figure, index) => {
    const caption = figure.querySelector('figcaption')
    const id = `tab-${crypto.getRandomValues(new Uint32Array(1))}`
    const tab = create('button', { type: 'button', role: 'tab', id }, caption.firstChild)
    // A figure cannot have this role.
    const panel = create('div', { role: 'tabpanel', 'aria-labelledby': id })
    figure.replaceWith(panel)
    panel.append(figure)
    tab.addEventListener('click', () => choose(index))
    list.append(tab)
    return tab
  })
  const panels = [...group.children]
  const key = `tab of ${group.dataset.tabs}`
  const select = (index) => {
    for (const [at, tab] of tabs.entries()) {
      tab.ariaSelected = String(at === index)
      tab.tabIndex = at === index ? 0 : -1
      panels[at].hidden = at !== index
    }
  }
  const choose = (index) => {
    local[key] = tabs[index].textContent
    select(index)
  }
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (!step) return
    const next = (tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length
    choose(next)
    tabs[next].focus()
  })
  group.prepend(list)
  // The result of a request that was just sent begins with its overview.
  const isParsed = group.ownerDocument !== document || !group.isConnected
  const isNew = isParsed || group.matches('.result [data-tabs=Exchange]')
  const remembered = isNew ? 0 : tabs.findIndex((tab) => tab.textContent === local[key])
  select(Math.max(0, remembered))
}
