import { toResourceDemo } from '../resources/routes.ts'
import type { Resource } from '../resources/definition.ts'
import { findFileCollections, type Demo } from '../site/demo.ts'
import { api } from './api/api.ts'
import { bins } from './bins/bins.ts'
import { bodies } from './bodies/bodies.ts'
import { goHttpbin } from './go-httpbin/go-httpbin.ts'
import { httpbin } from './httpbin/httpbin.ts'
import { locations } from './locations/locations.ts'
import { uploads } from './uploads/uploads.ts'
import { responses } from './responses/responses.ts'
import { sessions } from './sessions/sessions.ts'
import { staticFiles } from './static/static.ts'
import { status } from './status/status.ts'
import { toc } from './toc/toc.ts'
import { topic } from './topic/topic.ts'
import { user } from './user/user.ts'
import { users } from './users/users.ts'

export const demos: readonly (Demo & { resource?: Resource })[] = [
  status,
  toResourceDemo(users),
  toResourceDemo(locations),
  sessions,
  api,
  topic,
  toc,
  uploads,
  bodies,
  user,
  responses,
  httpbin,
  goHttpbin,
  bins,
  staticFiles,
]

export const resources = demos.flatMap(({ resource }) => resource ?? [])

export const collections = demos.flatMap(({ collections = [] }) => collections)

export const fileCollections = findFileCollections(demos)
