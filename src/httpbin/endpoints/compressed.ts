import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { toEndpoint, type Endpoint } from '../endpoint.ts'
import { describe, renderJson } from '../render.ts'

interface Coding {
  path: string
  /** In Content-Encoding. */
  name: string
  /** The member that is true. */
  flag: string
  compress: (bytes: Buffer) => Buffer
}

const codings: readonly Coding[] = [
  { path: '/gzip', name: 'gzip', flag: 'gzipped', compress: gzipSync },
  { path: '/deflate', name: 'deflate', flag: 'deflated', compress: deflateSync },
  { path: '/brotli', name: 'br', flag: 'brotli', compress: brotliCompressSync },
  { path: '/zstd', name: 'zstd', flag: 'zstd', compress: zstdCompressSync },
]

export const compressedEndpoints = codings.map(({ path, name, flag, compress }): Endpoint =>
  toEndpoint(
    path,
    `Respond with content in the ${name} coding, whatever Accept-Encoding has`,
    (request) => {
      const members = describe(request, { hasMethod: true })
      if (!request.dialect.isPython) members.set('url', '')
      else for (const member of ['args', 'url']) members.delete(member)
      const { headers = [], body } = renderJson(request, members.set(flag, true))
      const bytes = compress(Buffer.from(typeof body === 'string' ? body : ''))
      return { headers: [...headers, ['Content-Encoding', name]], body: bytes }
    },
  ),
)
