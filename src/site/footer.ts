import type { Config } from '../config/config.ts'
import { html, type Html } from './html.ts'

/** On a public instance, the terms and the operator too. */
export function renderFooter(config: Config): Html {
  const { preset, operatorContact, resetAt, sandboxes } = config
  const isPublic = preset === 'public' || operatorContact !== undefined || resetAt !== undefined
  const removal = resetAt === undefined ? '' : ` It is removed each day at ${resetAt} UTC.`
  const readers =
    sandboxes === 'visitor'
      ? 'Your data is in a sandbox of your own, or of your network address.'
      : 'Others can read what you store here.'
  const terms = `${readers}${removal} Do not store personal data.`
  return html`
<footer>Vitrine is a service for learning and testing HTTP.${isPublic ? ` ${terms}` : ''}${operatorContact === undefined ? '' : renderContact(operatorContact)}</footer>
`
}

function renderContact(contact: string): Html {
  const href = contact.includes('://') ? contact : `mailto:${contact}`
  return html` Operator: <a href="${href}">${contact}</a>`
}
