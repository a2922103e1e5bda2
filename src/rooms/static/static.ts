import { serveFolder } from '../../http/folder.ts'
import type { Room } from '../../room.ts'

/** The files of PUBLIC_DIR as they are, at the addresses that no other room has. */
export const staticFiles: Room = {
  name: 'static',
  title: 'Static pages',
  summary: 'Files as they are, with validators and ranges: pages whose forms use the other rooms.',
  links: [
    { href: '/topic.html', label: 'A form that sends by GET' },
    { href: '/toc.html', label: 'A form that sends by POST' },
    { href: '/profile.html', label: 'A form that uploads a file' },
  ],
  open: async (app, { config }) => {
    await serveFolder(app, { roots: [config.publicDir], prefix: '/' })
  },
}
