import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cachePublicly } from '../../inspector/exchange-log.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { isProblemSlug, problemTypes, type ProblemType } from '../../http/errors/problem-types.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import { sendPage } from '../send-page.ts'
import { operations } from './operations.ts'
import { problemPage, problemsPage, type Problem } from './views.ts'

const offers = ['text/html', 'application/json', 'text/plain'] as const

/**
 * `GET /problems` and `GET /problems/:slug`: what each kind of refusal means and what to do about
 * it. Always there, since every problem names its page.
 */
export function openProblems(app: FastifyInstance): void {
  describeRoutes(app, 'vitrine', operations)
  app.get('/problems', (request, reply) => {
    const problems = Object.entries(problemTypes).map(([slug, type]) =>
      toProblem(request, slug, type),
    )
    return sendLasting(request, reply, {
      'text/html': () => sendPage(reply, problemsPage(problems)),
      'application/json': () => sendJson(reply, problems),
      'text/plain': () => sendText(reply, problems.map(problemToText).join('\n')),
    })
  })
  app.get('/problems/:slug', (request, reply) => {
    const { slug } = request.params as { slug: string }
    if (!isProblemSlug(slug)) throw notFound(`There is no problem ${slug}.`)
    const problem = toProblem(request, slug, problemTypes[slug])
    return sendLasting(request, reply, {
      'text/html': () => sendPage(reply, problemPage(problem)),
      'application/json': () => sendJson(reply, problem),
      'text/plain': () => sendText(reply, problemToText(problem)),
    })
  })
}

/** In the form that is asked for. It is the same for everyone until the next version. */
function sendLasting(
  request: FastifyRequest,
  reply: FastifyReply,
  forms: Readonly<Record<(typeof offers)[number], () => FastifyReply>>,
): FastifyReply {
  const type = chooseType(request, reply, offers)
  cachePublicly(reply, 3600)
  return forms[type]()
}

function toProblem(request: FastifyRequest, slug: string, problem: ProblemType): Problem {
  const origin = toOrigin(request)
  const example = problem.example?.replace('{origin}', () => origin)
  return { type: `${origin}/problems/${slug}`, ...problem, ...(example && { example }) }
}

function problemToText({ type, status, title, meaning, remedy, example }: Problem): string {
  const lines = [type, `${String(status)} ${title}`, meaning, remedy, ...(example ? [example] : [])]
  return `${lines.join('\n')}\n`
}
