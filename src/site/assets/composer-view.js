// What a composer shows of its request: the parts of the form, the curl command and the chosen chip.
import { renderCodeBlock } from './code-block.js'
import { isSafe, toCurl } from './curl.js'
import { findSandbox } from './dom.js'

/** With another path, the fields have no meaning: none of `required` must be filled in. */
export function showParts(form, request, { required, isOwn }) {
  form.querySelector('[data-part=body]').hidden = isSafe(request.method)
  form.querySelector('[data-part=text]').hidden = request.form !== undefined
  for (const field of required)
    field.required = isOwn && (field.type !== 'file' || request.form !== undefined)
  const code = form.querySelector('.command code')
  code.replaceChildren(
    ...renderCodeBlock(toCurl(request, findSandbox()), 'code').firstChild.childNodes,
  )
}

/** `current` is the chip that has filled the form. */
export function markChips(chips, request, current) {
  const key = toKey(request)
  for (const chip of chips) {
    const isCurrent = chip === current || toKey(JSON.parse(chip.dataset.fill)) === key
    chip.ariaCurrent = isCurrent ? 'true' : null
  }
}

const toKey = ({ method, target, headers, body = '' }) => {
  const accept = headers.find(([name]) => /^accept$/i.test(name))?.[1]
  return JSON.stringify([method, target, accept, isSafe(method) ? '' : body])
}

/** What a link or the history leaves out of a request. Empty if that is nothing. */
export function listMissing({ names, isBodyMissing }) {
  return new Intl.ListFormat('en').format([...names, ...(isBodyMissing ? ['the body'] : [])])
}
