import { parseCookie } from 'cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { notFound } from '../../http/errors/http-error.ts'
import { pageContent, pathParameter } from '../../http/openapi/content.ts'
import { registerRoutes, type Route } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { cachePublicly } from '../../http/response/default-headers.ts'
import { toOwnCookie } from '../../http/security/own-secrets.ts'
import type { Demo } from '../demo.ts'
import { sendPage } from '../send-page.ts'
import { hasName } from './lesson.ts'
import { loadLessons } from './lessons.ts'
import { renderLesson, renderLessons } from './views.ts'

export function openLearn(app: FastifyInstance, demos: readonly Demo[]): void {
  const openDemos = demos.map(({ name }) => name)
  registerRoutes(app, { file: import.meta.filename }, [getLessons, getLesson(openDemos)])
}

const getLessons: Route = {
  method: 'GET',
  url: '/learn',
  summary: 'List the lessons',
  content: pageContent,
  handler: async (_request, reply) => {
    cachePublicly(reply, 3600)
    return sendPage(reply, renderLessons(await loadLessons()))
  },
}

const getLesson = (openDemos: readonly string[]): Route => ({
  method: 'GET',
  url: '/learn/:slug',
  summary: 'Get a lesson',
  parameters: [pathParameter('slug', 'The name of the lesson.', 'caching')],
  content: pageContent,
  errors: [404],
  handler: async (request, reply) => {
    const lessons = await loadLessons()
    const slug = toPathParameter(request, 'slug')
    const lesson = lessons.find((one) => one.slug === slug)
    if (lesson === undefined)
      throw notFound(`There is no lesson ${slug}.`, ['/learn', 'All lessons'])
    const isNamed = lesson.steps.some(hasName)
    if (!isNamed) cachePublicly(reply, 3600)
    const name = isNamed ? chooseName(request, reply) : ''
    const place = { origin: toOrigin(request) + (request.raw.basePath ?? ''), openDemos, name }
    return sendPage(reply, renderLesson(lessons, lesson, place))
  },
})

/** Each visitor has own records: otherwise visitors of a lesson would change those of each other. */
function chooseName(request: FastifyRequest, reply: FastifyReply): string {
  const { lesson = '' } = parseCookie(request.headers.cookie ?? '')
  if (/^my-lesson-[\da-f]{6}$/.test(lesson)) return lesson
  const value = `my-lesson-${randomBytes(3).toString('hex')}`
  reply.header('set-cookie', toOwnCookie(request, { name: 'lesson', value, path: '/learn' }))
  return value
}
