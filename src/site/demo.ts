import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { ErrorShape } from '../http/errors/send-error.ts'
import type { IdempotencyEntries } from '../stores/idempotency/idempotency-entries.ts'
import type { Files } from '../stores/files/files.ts'
import type { Records } from '../stores/records/records.ts'
import type { Sessions } from '../stores/sessions/sessions.ts'

/** What a room may use of the services. */
export interface Services {
  config: Config
  records: Records
  files: Files
  sessions: Sessions
  idempotencyEntries: IdempotencyEntries
}

/** A small form that sends one request, with script or without. */
export interface TryOut {
  method: 'GET' | 'POST'
  path: string
  /** Text fields with what stands in them at first. */
  fields?: Readonly<Record<string, string>>
  /** The name of a field for a file. */
  file?: string
}

/** One demonstration: what the table of contents says of it, and its routes. */
export interface Demo {
  /** As DEMOS has it. */
  name: string
  title: string
  /** One sentence for the home page. */
  summary: string
  /** Addresses of the room that a browser can open, for the home page. */
  links: readonly { href: string; label: string }[]
  /** One request of the room, to be sent from the home page. */
  tryOut?: TryOut
  /**
   * Path prefixes whose requests are handled as sent: no method override, normalization, parsing,
   * cross-site check, CORS or validators. See `toRawRequest` and `readBytes`.
   */
  rawPaths?: readonly string[]
  /** Adds the routes to an instance of the room's own. */
  open: (app: FastifyInstance, services: Services) => void | Promise<void>
  /** Set when the room shapes its refusals itself. */
  errorShape?: (services: Services) => ErrorShape
}

/** Whether the room has the services to itself, and so answers literally as the seed says. */
export function isAlone(name: string, { config }: Services): boolean {
  return config.demos.every((other) => other === name)
}
