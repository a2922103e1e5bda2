import type { FastifyInstance, FastifyReply } from 'fastify'
import { randomBytes } from 'node:crypto'
import { notFound } from '../../http/errors/http-error.ts'
import { pageContent, pathParameter } from '../../http/openapi/content.ts'
import { registerRoutes, type Route } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { cachePublicly } from '../../inspector/exchange-log.ts'
import type { Demo } from '../demo.ts'
import { Html } from '../html.ts'
import type { Page } from '../page.ts'
import { sendPage } from '../send-page.ts'
import { lessons } from './lessons.ts'
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
  handler: (_, reply) => sendLearnPage(reply, renderLessons(lessons)),
}

function getLesson(openDemos: readonly string[]): Route {
  return {
    method: 'GET',
    url: '/learn/:slug',
    summary: 'Get a lesson',
    parameters: [pathParameter('slug', 'The name of the lesson.', 'caching')],
    content: pageContent,
    errors: [404],
    handler: (request, reply) => {
      const slug = toPathParameter(request, 'slug')
      const lesson = lessons.find((one) => one.slug === slug)
      if (lesson === undefined)
        throw notFound(`There is no lesson ${slug}.`, ['/learn', 'All lessons'])
      const place = { origin: toOrigin(request), openDemos }
      return sendLearnPage(reply, renderLesson(lessons, lesson, place))
    },
  }
}

function sendLearnPage(reply: FastifyReply, page: Page): FastifyReply {
  const { markup } = page.main
  // Otherwise visitors of the same lesson would change the records of each other.
  const named = markup.replaceAll('my-lesson', `my-lesson-${randomBytes(3).toString('hex')}`)
  if (named === markup) cachePublicly(reply, 3600)
  else reply.header('cache-control', 'private, max-age=3600')
  return sendPage(reply, { ...page, main: new Html(named), styles: ['learn.css'] })
}
