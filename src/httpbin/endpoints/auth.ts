import { notFound } from '../../http/errors/http-error.ts'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { forReads, inPythonOnly, toEndpoint, type Endpoint } from '../endpoint.ts'
import { addHeaders, renderAuthenticated, renderJson, renderUnauthorized } from '../render.ts'
import { findHeader } from '../text.ts'
import { renderDigest } from '../digest.ts'
import { renderStatus } from './status.ts'

const samples = {
  user: 'Ann',
  password: 'secret',
  qop: 'auth',
  algorithm: 'SHA-256',
  staleAfter: '2',
}
const statuses = [200, 401]

const digest = {
  summary: 'Require Digest authentication',
  samples,
  statuses: [200, 401, 403],
  readsBody: true,
  handler: renderDigest,
}

export const authEndpoints: readonly Endpoint[] = [
  toEndpoint('/basic-auth/:user/:password', 'Require Basic authentication', renderBasic, {
    samples,
    statuses,
  }),
  toEndpoint(
    '/hidden-basic-auth/:user/:password',
    'Require Basic authentication, and respond with 404 without it',
    (request) => {
      const { user, isRight } = checkBasic(request)
      if (isRight) return renderAuthenticated(request, user)
      if (request.dialect.isPython) return renderStatus(404, request)
      throw notFound('')
    },
    { samples, statuses: [200, 404] },
  ),
  toEndpoint('/bearer', 'Require a Bearer token, and return it', renderBearer, { statuses }),
  { path: '/digest-auth/:qop/:user/:password', methods: forReads, ...digest },
  { path: '/digest-auth/:qop/:user/:password/:algorithm', methods: forReads, ...digest },
  {
    path: '/digest-auth/:qop/:user/:password/:algorithm/:staleAfter',
    methods: inPythonOnly,
    ...digest,
  },
]

function checkBasic({ headers, parameters: [user, password] }: BinRequest) {
  const [, encoded = ''] =
    /^basic +(\S+)\s*$/i.exec(findHeader(headers, 'authorization') ?? '') ?? []
  const [given = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':')
  const isWhole = rest.length > 0
  const isRight = isWhole && given === user && rest.join(':') === password
  return { user: isWhole ? given : '', isRight }
}

function renderBasic(request: BinRequest): BinResponse {
  const { user, isRight } = checkBasic(request)
  if (isRight) return renderAuthenticated(request, user)
  if (request.dialect.isPython) return renderStatus(401, request)
  const denied = renderAuthenticated(request, user, false)
  return addHeaders(denied, ['WWW-Authenticate', 'Basic realm="Fake Realm"'])
}

function renderBearer(request: BinRequest): BinResponse {
  const given = findHeader(request.headers, 'authorization') ?? ''
  const format = request.dialect.isPython ? /^Bearer (.*)$/s : /^\s*Bearer\s+(\S+)\s*$/
  const [, token] = format.exec(given) ?? []
  if (token === undefined) return renderUnauthorized(request, 'Bearer')
  return renderJson(request, { authenticated: true, token })
}
