import { readFileSync } from 'node:fs'
import { packageFolder } from '../../config/package-folder.ts'
import { HttpError, notFound } from '../../http/errors/http-error.ts'
import type { BinRequest, BinResponse, DialectName } from '../dialect.ts'
import { toEndpoint, type Endpoint } from '../endpoint.ts'
import { findHeader } from '../text.ts'
import { renderStatus } from './status.ts'

type Kind = 'png' | 'jpeg' | 'webp' | 'svg'

const types: Readonly<Record<Kind, string>> = {
  webp: 'image/webp',
  svg: 'image/svg+xml',
  jpeg: 'image/jpeg',
  png: 'image/png',
}

const isKind = (text: string): text is Kind => Object.hasOwn(types, text)

const readImage = (kind: Kind) =>
  readFileSync(new URL(`src/httpbin/assets/image.${kind}`, packageFolder))

const images = {
  ...{ png: readImage('png'), jpeg: readImage('jpeg') },
  ...{ webp: readImage('webp'), svg: readImage('svg') },
}

const renderImage = (kind: Kind): BinResponse => ({
  headers: [['Content-Type', types[kind]]],
  body: images[kind],
})

export const imageEndpoints: readonly Endpoint[] = [
  toEndpoint('/image', 'Return an image of a type in Accept', chooseImage, {
    mediaTypes: Object.values(types),
    statuses: [200, 406, 415],
  }),
  toEndpoint(
    '/image/:kind',
    'Return an image',
    ({ parameters: [kind = ''], dialect: { isPython, missing } }) => {
      if (isKind(kind)) return renderImage(kind)
      throw notFound(isPython ? missing : '')
    },
    { mediaTypes: Object.values(types), samples: { kind: 'png' } },
  ),
]

/** In which order the types are looked for, of which one is enough. */
const preferences: Readonly<Record<DialectName, readonly Kind[]>> = {
  httpbin: ['webp', 'svg', 'jpeg', 'png'],
  'go-httpbin': ['png', 'webp', 'svg', 'jpeg'],
}

function chooseImage(request: BinRequest): BinResponse {
  const { name, isPython } = request.dialect
  const sent = findHeader(request.headers, 'accept')
  const accept = isPython ? sent?.toLowerCase() : sent || undefined
  const accepts = (kind: Kind) =>
    accept?.includes(types[kind]) === true ||
    (kind === 'png' && accept?.includes('image/*') === true)
  const kind = accept === undefined ? 'png' : preferences[name].find(accepts)
  if (kind !== undefined) return renderImage(kind)
  if (isPython) return renderStatus(406, request)
  throw new HttpError(415, '')
}
