import type { FastifyInstance, FastifyReply } from 'fastify'
import { cachePublicly } from '../../http/response/default-headers.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import {
  jsonContent,
  objectSchema,
  pageContent,
  pathParameter,
  textContent,
  text,
} from '../../http/openapi/content.ts'
import { registerRoutes, type Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import {
  isProblemSlug,
  problemSlugs,
  problemTypes,
  type ProblemSlug,
} from '../../http/errors/problem-types.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import type { Page } from '../page.ts'
import { sendPage } from '../send-page.ts'
import { renderProblem, renderProblems, type DocumentedProblem } from './views.ts'

const members = {
  type: { ...text, format: 'uri-reference' },
  status: { type: 'integer', minimum: 400, maximum: 599 },
  title: text,
  meaning: text,
  remedy: text,
}
const example = { ...text, description: 'An example of a command.' }
const problemTypeSchema = {
  ...objectSchema(members),
  description: 'A type of problem.',
  properties: { ...members, example },
}

const exampleType = describeType('https://vitrine.example', 'not-found')

const getProblems: Route = {
  method: 'GET',
  url: '/problems',
  summary: 'List the types of problems',
  content: {
    ...pageContent,
    ...jsonContent({ type: 'array', items: problemTypeSchema }, [exampleType]),
    ...textContent(),
  },
  errors: [406],
  handler: (request, reply) => {
    const problems = problemSlugs.map((slug) => describeType(toOrigin(request), slug))
    const lines = problems.map(problemToText).join('\n')
    return sendProblems(reply, { page: renderProblems(problems), json: problems, lines })
  },
}

const getProblem: Route = {
  method: 'GET',
  url: '/problems/:slug',
  summary: 'Get one type of problem',
  parameters: [
    pathParameter('slug', 'The last segment of the `type` URL of a problem.', 'not-found'),
  ],
  content: { ...pageContent, ...jsonContent(problemTypeSchema, exampleType), ...textContent() },
  errors: [404, 406],
  handler: (request, reply) => {
    const slug = toPathParameter(request, 'slug')
    if (!isProblemSlug(slug))
      throw notFound(`There is no problem type ${slug}.`, ['/problems', 'All problems'])
    const problem = describeType(toOrigin(request), slug)
    const lines = problemToText(problem)
    return sendProblems(reply, { page: renderProblem(problem), json: problem, lines })
  },
}

export function openProblems(app: FastifyInstance): void {
  registerRoutes(app, { file: import.meta.filename }, [getProblems, getProblem])
}

function sendProblems(
  reply: FastifyReply,
  { page, json, lines }: { page: Page; json: unknown; lines: string },
): FastifyReply {
  const type = chooseType(reply.request, reply, ['text/html', 'application/json', 'text/plain'])
  cachePublicly(reply, 3600)
  if (type === 'text/html') return sendPage(reply, page)
  return type === 'text/plain' ? sendText(reply, lines) : sendJson(reply, json)
}

function describeType(origin: string, slug: ProblemSlug): DocumentedProblem {
  const { status, title, meaning, remedy, example } = problemTypes[slug]
  const type = `${origin}/problems/${slug}`
  return { type, status, title, meaning, remedy, example: example?.replace('{origin}', origin) }
}

function problemToText({
  type,
  status,
  title,
  meaning,
  remedy,
  example,
}: DocumentedProblem): string {
  const lines = [type, `${String(status)} ${title}`, meaning, remedy, ...(example ? [example] : [])]
  return `${lines.join('\n')}\n`
}
