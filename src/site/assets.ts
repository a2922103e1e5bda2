import type { FastifyInstance } from 'fastify'
import mime from 'mime'
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { notFound } from '../http/errors/http-error.ts'
import { toFileOperation } from '../http/openapi/files.ts'
import { cachePublicly } from '../http/response/default-headers.ts'
import { registerRoutes, type Route } from '../http/openapi/route.ts'
import { sendBytes } from '../http/response/send-bytes.ts'
import { packageFolder } from '../config/package-folder.ts'
import { isAlone, servesFile } from './demo.ts'
import { withFile } from '../http/response/static-files.ts'

const own = fileURLToPath(new URL('src/site/assets', packageFolder))
const fonts = ['geist', 'geist-mono'].map(
  (name) => `@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`,
)

export const folders: Readonly<Record<string, string>> = {
  ...Object.fromEntries(readdirSync(own).map((name) => [name, own])),
  ...Object.fromEntries(
    fonts.map((font) => [basename(font), dirname(fileURLToPath(import.meta.resolve(font)))]),
  ),
}

export async function openAssets(app: FastifyInstance, config: Config): Promise<void> {
  // A file of PUBLIC_DIR replaces it, and so does the one of httpbin.
  const hasRobots =
    ['httpbin', 'go-httpbin'].some((name) => isAlone(name, { config })) ||
    (await servesFile(config, '/robots.txt'))
  registerRoutes(app, { file: import.meta.filename }, [
    ...Object.entries(folders).map(([name, folder]) => getAsset(`/assets/${name}`, folder, name)),
    // Browsers request it for responses that are not HTML and so have no icon link.
    getAsset('/favicon.ico', own, 'icon.svg'),
    ...(hasRobots ? [] : [getAsset('/robots.txt', own, 'robots.txt')]),
  ])
}

const getAsset = (url: string, folder: string, name: string): Route => ({
  method: 'GET',
  url,
  ...toFileOperation(`Get ${name}`, mime.getType(name) ?? 'application/octet-stream'),
  config: { isUnlimited: true },
  handler: (request, reply) =>
    withFile(folder, `/${name}`, (file) => {
      if (file === undefined) throw notFound(`${name} does not exist.`)
      // Scripts and styles change together with the pages that use them.
      if (!/\.(css|js)$/.test(name)) cachePublicly(reply, 86_400)
      return sendBytes(request, reply, file)
    }),
})
