import { notFound } from '../../http/errors/http-error.ts'
import {
  forReads,
  inPythonOnly,
  type BinRequest,
  type BinResponse,
  type Dialect,
  type Endpoint,
} from '../dialect.ts'
import { renderAuthenticated, renderJson, renderUnauthorized } from '../render.ts'
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
  {
    path: '/basic-auth/:user/:password',
    summary: 'Require Basic authentication',
    samples,
    statuses,
    handler: renderBasic,
  },
  {
    path: '/hidden-basic-auth/:user/:password',
    summary: 'Require Basic authentication, and respond with 404 without it',
    samples,
    statuses: [200, 404],
    handler: (request, dialect) => {
      const { user, isRight } = checkBasic(request)
      if (isRight) return renderAuthenticated(dialect, user)
      if (dialect.isPython) return renderStatus(404, request, dialect)
      throw notFound('')
    },
  },
  {
    path: '/bearer',
    summary: 'Require a Bearer token, and return it',
    statuses,
    handler: renderBearer,
  },
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

function renderBasic(request: BinRequest, dialect: Dialect): BinResponse {
  const { user, isRight } = checkBasic(request)
  if (isRight) return renderAuthenticated(dialect, user)
  const denied = renderStatus(401, request, dialect)
  if (dialect.isPython) return denied
  const { headers = [], ...rest } = renderAuthenticated(dialect, user, false)
  return { ...rest, headers: [...headers, ['WWW-Authenticate', 'Basic realm="Fake Realm"']] }
}

function renderBearer({ headers }: BinRequest, dialect: Dialect): BinResponse {
  const given = findHeader(headers, 'authorization') ?? ''
  const [, token] =
    (dialect.isPython ? /^Bearer (.*)$/s : /^\s*Bearer\s+(\S+)\s*$/).exec(given) ?? []
  if (token !== undefined) {
    const members = [
      ['authenticated', true],
      ['token', token],
    ] as const
    return renderJson(dialect, new Map<string, unknown>(members))
  }
  return renderUnauthorized(dialect, 'Bearer')
}
