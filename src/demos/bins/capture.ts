import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatNumber } from '../../config/format-count.ts'
import { hasBody } from '../../http/body/body-reader.ts'
import { awaitsContinue, isAnnouncedTooLarge, readUpTo } from '../../http/body/read-bytes.ts'
import { contentTooLarge, HttpError, notFound, readOnly } from '../../http/errors/http-error.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toClientAddress } from '../../http/request/client-address.ts'
import { toRawRequest, toTrailers } from '../../http/request/raw-request.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPath, toPathParameter } from '../../http/request/target.ts'
import { observeResponse } from '../../http/response/observe-response.ts'
import { isPreflight } from '../../http/security/origins.ts'
import { hideSecrets, ownCookies, withoutCookies } from '../../http/security/own-secrets.ts'
import type { IncomingMessage } from 'node:http'
import { checkAlternatives, chooseAlternative } from '../../responses/alternatives.ts'
import { explainDifference } from '../../responses/conditions.ts'
import { badDescription } from '../../responses/parse-description.ts'
import { renderDescription } from '../../responses/render.ts'
import { decodeBody, once, toRequestValues } from '../../responses/request-values.ts'
import type { Description } from '../../responses/description.ts'
import { faults } from '../../responses/faults.ts'
import { prepareDescribed, sendPrepared, type Prepared } from '../../responses/send.ts'
import { takeStep } from '../../responses/sequences.ts'
import { isBinCookie } from './access.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { Bin } from './bin-store.ts'
import { binParameter } from './documentation.ts'
import type { BinServices } from './of-bin.ts'
import { performance } from '../../timers.ts'

const content = { '*/*': {} }

export function toCaptureRoutes(services: BinServices, method: string[]): Route[] {
  return ['/b/:id', '/b/:id/*'].map((url) => ({
    file: import.meta.filename,
    method,
    url,
    summary: 'Capture a request',
    description: 'Any method, and any path below. The bin defines the response.',
    parameters: [binParameter],
    responses: {
      '2XX': { description: 'The response of the bin.', content },
      default: { description: 'Or any other response.', content },
    },
    errors: [403, 404, 410],
    store: 'writes',
    config: { isRaw: true, isUnrecorded: true },
    handler: (request, reply) => captureRequest(request, reply, services),
  }))
}

async function captureRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { bins, config, requests, states }: BinServices,
) {
  const begin = performance.now()
  reply.header('access-control-allow-origin', '*').header('cache-control', 'no-store')
  // Any method stores something.
  if (config.readOnly) throw readOnly()
  const bin = await bins.find(toPathParameter(request, 'id'), true)
  const maxBodyBytes = config.binMaxBodyBytes
  const body = await readBody(request, { ...config, maxBodyBytes })
  const isTooLarge = body?.isCut === true
  const ms = Number((performance.now() - begin).toFixed(3))
  const options = { config, states, bytes: body?.bytes }
  const chosen = isTooLarge
    ? tooLarge(maxBodyBytes)
    : await chooseResponse(request, bin, options).catch(assertHttpError)
  const step = 'step' in chosen && { step: chosen.step }
  const prepared =
    chosen instanceof HttpError
      ? chosen
      : await prepareDescribed(reply, chosen.response, { config }).catch(assertHttpError)
  const outcome = { ...toOutcome(prepared), ...step, ...(isTooLarge && { isTooLarge }) }
  const content = { ...toContent(request), ms, ...outcome }
  const id = await requests.capture({ bin: bin.id, request: content, body })
  if (id === undefined) throw notFound(`There is no bin with the id ${bin.id}.`)
  observeResponse(reply, (_, { status, isCutOff }) => {
    if (!isCutOff && status === content.status && !content.isPending) return
    requests.correct(id, { status, isCutOff }).catch((err: unknown) => {
      request.server.log.warn({ reqId: request.id, err }, 'the status could not be stored')
    })
  })
  if (prepared instanceof HttpError) throw prepared
  return sendPrepared(reply, prepared, { config, cookiePath: `/b/${bin.id}` })
}

function assertHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  throw error
}

function tooLarge(bytes: number): HttpError {
  const limit = formatNumber(bytes)
  return contentTooLarge(`The body is larger than ${limit} bytes (BIN_MAX_BODY_BYTES).`)
}

async function readBody({ raw }: FastifyRequest, limits: Parameters<typeof readUpTo>[1]) {
  if (!hasBody(raw)) return undefined
  const announced = Number(raw.headers['content-length'] ?? 0)
  // Without 100 (Continue), the client sends no body.
  if (awaitsContinue(raw) && isAnnouncedTooLarge(raw, limits.maxBodyBytes))
    return { bytes: Buffer.alloc(0), isCut: true, size: announced }
  let isCut = false
  const bytes = await readUpTo(raw, limits, (start) => {
    isCut = true
    return start
  })
  return { bytes, isCut, size: Math.max(announced, bytes.length) }
}

/** Throws 404 if no alternative matches, and 500 for a template that cannot be rendered. */
async function chooseResponse(
  { raw }: FastifyRequest,
  { id, version, response }: Bin,
  {
    bytes,
    config,
    states,
  }: Pick<BinServices, 'config' | 'states'> & { bytes?: Buffer | undefined },
): Promise<{ response: Description; step?: number }> {
  // A browser accepts no other status.
  if (isPreflight(raw)) return { response: { status: 204 } }
  // With each change of the bin it begins anew.
  const key = `bin ${id} ${String(version)}`
  const countRequest = once(async () => takeStep(raw, states, { key: `${key} number`, steps: [] }))
  const checked = checkAlternatives(JSON.parse(response), config)
  // A limit can have changed since it was stored.
  if ('problems' in checked) throw badDescription(checked.problems)
  const alternatives = checked.value
  const decoded = bytes && (await decodeBody(raw, bytes, config))
  const values = toRequestValues({ raw, path: toPath(toPathBelow(raw)), bytes: decoded }, config)
  const hasShare = alternatives.some(({ share }) => share !== undefined)
  const before = hasShare ? (await countRequest()).requests - 1 : 0
  const counts = alternatives.map(() => before)
  const chosen = chooseAlternative(alternatives, values, { key, counts, rendered: 0 })
  if (chosen.index === undefined) {
    const { differences } = chosen
    const reasons = differences.map(explainDifference).join('; ')
    const detail = `No response of the bin ${id} matches. It needs: ${reasons}.`
    throw new HttpError('not-found', detail, { members: { differences } })
  }
  const described = alternatives[chosen.index]?.described ?? {}
  const render = (description: Description) =>
    renderDescription(description, {
      owner: `The response of the bin ${id}`,
      limits: config,
      loadValues: () => Promise.resolve(values),
      countRequest: async () => (await countRequest()).requests,
      toSeed: async () => `${key} ${String((await countRequest()).requests)}`,
    })
  if (!('sequence' in described)) return { response: await render(described) }
  const steps = described.sequence
  const ofAlternative = chosen.index === 0 ? key : `${key} ${String(chosen.index)}`
  const { step = {} } = await takeStep(raw, states, { key: ofAlternative, steps })
  return { response: await render(step), step: steps.indexOf(step) + 1 }
}

/** A fault before the body leaves no status. */
function toOutcome(
  prepared: Prepared | HttpError,
): Pick<CapturedRequest, 'fault' | 'isPending' | 'status'> {
  const { status } = prepared
  if (prepared instanceof HttpError) return { status }
  const { fault } = prepared.description
  const pending = prepared.takesTime && { isPending: true }
  if (fault === undefined) return { status, ...pending }
  return faults[fault].isInBody === true ? { status, fault, ...pending } : { fault, ...pending }
}

function toContent(request: FastifyRequest) {
  const { method, target, headers } = toRawRequest(request)
  const cookies = Object.keys(parseCookie(request.headers.cookie ?? ''))
  const own = [...ownCookies, ...cookies.filter(isBinCookie)]
  const toFields = (fields: typeof headers) =>
    withoutCookies(fields, own)
      .filter(([name]) => name.toLowerCase() !== 'x-inspector')
      .map(([name, value]): [string, string] => [hideSecrets(name), hideSecrets(value)])
  const trailers = toTrailers(request.raw)
  const rest = toPathBelow(request.raw)
  return {
    method,
    target: hideSecrets(target),
    path: hideSecrets(rest),
    httpVersion: request.raw.httpVersion,
    origin: toOrigin(request),
    client: toClientAddress(request),
    requestFields: toFields(headers),
    ...(trailers.length > 0 && { requestTrailerFields: toFields(trailers) }),
  }
}

/** Below the bin, with the query string. */
function toPathBelow({ target }: IncomingMessage): string {
  const [, rest = ''] = /^\/[^/?]*\/[^/?]*(.*)$/s.exec(target?.url ?? '') ?? []
  return rest.startsWith('/') ? rest : `/${rest}`
}
