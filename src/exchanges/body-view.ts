import { formatBytes } from '../site/assets/size.js'
import { renderCodeBlock } from '../site/highlight.ts'
import { html, type Html } from '../site/html.ts'
import { toPrettyBody } from './bodies.ts'
import { findField, type ExchangeBody, type Fields } from './exchange.ts'
import { toBytes } from './message-http.ts'

interface Shown {
  /** The body without its content coding, if it was recorded as sent. */
  decodedBody?: ExchangeBody | undefined
  cutNote?: string | undefined
}

/** The body by its kind, and a line with its size and type. Scripts show the kinds of `data-kind` in other ways too. */
export function renderBody(
  body: ExchangeBody | undefined,
  fields: Fields,
  { decodedBody = body, cutNote = 'Only the start was recorded.' }: Shown = {},
): Html {
  if (body === undefined || decodedBody === undefined || body.size === 0)
    return html`<p class="quiet">There is no body.</p>\n`
  const { text } = toPrettyBody(decodedBody, fields)
  const decoded = body.hex === decodedBody.hex ? '' : ' Decoded.'
  const note = `${toBodyNote(decodedBody, fields, text)}${decoded}${body.isCut ? ` ${cutNote}` : ''}`
  return html`${text === '' ? '' : renderKind(decodedBody, fields)}<p class="quiet">${note}</p>\n`
}

function renderKind(body: ExchangeBody, fields: Fields): Html {
  const { text, language } = toPrettyBody(body, fields)
  const [type = ''] = (findField(fields, 'content-type') ?? '').toLowerCase().split(';')
  const isImage = /^image\/[\w.+-]+$/.test(type) && !body.isCut
  if (isImage) {
    const url = `data:${type};base64,${toBytes(body).toString('base64')}`
    return html`<img data-kind="image" src="${url}" alt="The body">\n`
  }
  const isPlain = language === 'text' || language === 'hex'
  const code = renderCodeBlock(text, isPlain ? 'plain' : language)
  const kind = type === 'text/csv' ? 'csv' : type === 'text/html' ? 'html' : language
  return html`<div data-kind="${kind}"${kind === 'hex' ? html` class="hex"` : ''}>${code}</div>\n`
}

function toBodyNote({ size, text }: ExchangeBody, fields: Fields, shown: string): string {
  const type = findField(fields, 'content-type') ?? 'without Content-Type'
  const isImage = type.startsWith('image/')
  const formatted =
    text === shown ? '' : ' Formatted: only white space differs from the body as sent.'
  const notation = text === undefined && !isImage ? ' Shown in hexadecimal notation.' : formatted
  const coding = findField(fields, 'content-encoding')
  const sent = coding === undefined ? '' : `, sent with Content-Encoding: ${coding}`
  return `${formatBytes(size)}${sent}, ${type}.${text === undefined && isImage ? '' : notation}`
}
