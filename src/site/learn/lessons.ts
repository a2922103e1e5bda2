import { caching } from './lessons/caching.ts'
import { concurrentEdits } from './lessons/concurrent-edits.ts'
import { contentNegotiation } from './lessons/content-negotiation.ts'
import { crossSiteRequests } from './lessons/cross-site-requests.ts'
import { formsAndBodies } from './lessons/forms-and-bodies.ts'
import { methods } from './lessons/methods.ts'
import { sessions } from './lessons/sessions.ts'
import { statusCodes } from './lessons/status-codes.ts'
import type { Lesson } from './lesson.ts'

export const lessons: readonly Lesson[] = [
  methods,
  formsAndBodies,
  statusCodes,
  contentNegotiation,
  caching,
  concurrentEdits,
  sessions,
  crossSiteRequests,
]
