import { resourceRoom } from './resources/room.ts'
import type { Room } from './room.ts'
import { api } from './rooms/api/api.ts'
import { bodies } from './rooms/bodies/bodies.ts'
import { locations } from './rooms/locations/locations.ts'
import { profile } from './rooms/profile/profile.ts'
import { sessions } from './rooms/sessions/sessions.ts'
import { staticFiles } from './rooms/static/static.ts'
import { status } from './rooms/status/status.ts'
import { toc } from './rooms/toc/toc.ts'
import { topic } from './rooms/topic/topic.ts'
import { user } from './rooms/user/user.ts'
import { users } from './rooms/users/users.ts'

/** The table of contents: every room, in the order in which the home page shows them. */
export const rooms: readonly Room[] = [
  resourceRoom(users),
  resourceRoom(locations),
  sessions,
  api,
  topic,
  toc,
  profile,
  bodies,
  user,
  status,
  staticFiles,
]
