import { closeSync, openSync, readSync } from 'node:fs'

const maxStartBytes = 65_536

/** Whether the first key of a local file is that of a stub, such as `GET /path`. */
export function isStubFile(path: string): boolean {
  const start = readStart(path)
  // Comments, the mark of a document, and the first brace come before the first key.
  return /^\ufeff?(?:\s|#[^\n]*\n|---|\{)*["']?[\w!#$%&'*+.^`|~-]{1,50} \/.*:/.test(start)
}

/** Whether a local file is an HTTP Archive, which begins with its `log`. */
export function isHarFile(path: string): boolean {
  const start = readStart(path)
  return /^\ufeff?\s*\{\s*"log"\s*:\s*\{/.test(start) && /"(creator|entries)"\s*:/.test(start)
}

function readStart(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(maxStartBytes)
      return bytes.toString('utf8', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch {
    // The reader of the file has the error.
    return ''
  }
}
