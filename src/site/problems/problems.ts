import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cachePublicly } from '../../inspector/exchange-log.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, pathParameter, textContent } from '../../http/openapi/content.ts'
import { registerRoutes } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/path-parameter.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { isProblemSlug, problemTypes, type ProblemType } from '../../http/errors/problem-types.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import { sendPage } from '../send-page.ts'
import { problemPage, problemsPage, type Problem } from './views.ts'

const offers = ['text/html', 'application/json', 'text/plain'] as const

const text = { type: 'string' } as const

const problemSchema = {
  description: 'A type of problem.',
  type: 'object',
  required: ['type', 'status', 'title', 'meaning', 'remedy'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    title: text,
    meaning: text,
    remedy: text,
    example: { ...text, description: 'A command whose request works.' },
  },
}

const example = { type: '/problems/not-found', ...problemTypes['not-found'] }

/** `GET /problems` and `GET /problems/:slug`: each type of problem, and how to fix it. */
export function openProblems(app: FastifyInstance): void {
  registerRoutes(app, { file: import.meta.filename }, [
    {
      method: 'GET',
      url: '/problems',
      summary: 'List the types of problems',
      content: {
        ...pageContent,
        ...jsonContent({ type: 'array', items: problemSchema }, [example]),
        ...textContent(),
      },
      errors: [406],
      handler: listProblems,
    },
    {
      method: 'GET',
      url: '/problems/:slug',
      summary: 'Get one type of problem',
      parameters: [pathParameter('slug', 'From `type` of a problem.', 'not-found')],
      content: { ...pageContent, ...jsonContent(problemSchema, example), ...textContent() },
      errors: [404, 406],
      handler: showProblem,
    },
  ])
}

function listProblems(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problems = Object.entries(problemTypes).map(([slug, type]) =>
    toProblem(request, slug, type),
  )
  return sendCacheable(request, reply, {
    'text/html': () => sendPage(reply, problemsPage(problems)),
    'application/json': () => sendJson(reply, problems),
    'text/plain': () => sendText(reply, problems.map(problemToText).join('\n')),
  })
}

function showProblem(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const slug = toPathParameter(request, 'slug')
  if (!isProblemSlug(slug)) throw notFound(`There is no problem ${slug}.`)
  const problem = toProblem(request, slug, problemTypes[slug])
  return sendCacheable(request, reply, {
    'text/html': () => sendPage(reply, problemPage(problem)),
    'application/json': () => sendJson(reply, problem),
    'text/plain': () => sendText(reply, problemToText(problem)),
  })
}

/** Sends the preferred representation. It changes with the version of the service only. */
function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  senders: Readonly<Record<(typeof offers)[number], () => FastifyReply>>,
): FastifyReply {
  const type = chooseType(request, reply, offers)
  cachePublicly(reply, 3600)
  return senders[type]()
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
