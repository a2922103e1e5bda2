export interface FormPart {
  name?: string
  fileName?: string
  type?: string
  content?: string | Buffer
  /** The whole Content-Disposition, in place of one made of the two names. */
  disposition?: string
}

const boundary = 'vitrine-7MA4YWxkTrZu0gW'
export const multipartType = `multipart/form-data; boundary=${boundary}`

/** Headers and content of a multipart form with these parts. */
export function asMultipart(parts: readonly FormPart[]) {
  const payload = Buffer.concat([...parts.flatMap(toPieces), Buffer.from(`--${boundary}--\r\n`)])
  return { headers: { 'content-type': multipartType }, payload }
}

/** The bytes before the content of a part, and those that close it and the form. */
export function aroundPart(part: FormPart): { before: Buffer; after: Buffer } {
  const [before = Buffer.of()] = toPieces(part)
  return { before, after: Buffer.from(`\r\n--${boundary}--\r\n`) }
}

/** One file as the upload form sends it. */
export function asUpload(
  content: string | Buffer,
  { fileName = 'file.bin', ...part }: FormPart = {},
) {
  return asMultipart([
    { name: 'upfiles', fileName, type: 'application/octet-stream', content, ...part },
  ])
}

function toPieces({ name, fileName, type, content = '', disposition }: FormPart): Buffer[] {
  const named = name === undefined ? '' : `; name="${name}"`
  const fileNamed = fileName === undefined ? '' : `; filename="${fileName}"`
  const lines = [
    `--${boundary}`,
    `Content-Disposition: ${disposition ?? `form-data${named}${fileNamed}`}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
  ]
  return [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]
}
