import { toText } from '../../http/query-string.ts'
import { sendText } from '../../http/send.ts'
import type { Room } from '../../room.ts'

/** A POST form's values, which travel in the body. */
export const toc: Room = {
  name: 'toc',
  title: 'Form post',
  summary: 'What a POST form sends travels in the body and comes back to the byte.',
  links: [],
  open: (app) => {
    app.post('/toc/aaa', ({ body }, reply) => {
      const { a } = Object(body) as { a?: unknown }
      return sendText(reply, toText(a))
    })
  },
}
