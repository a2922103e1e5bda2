import { S3Error, type S3Client } from './client.ts'

/** A multipart upload as the store knows it: begun, neither completed nor aborted. */
export interface S3Upload {
  uploadId: string
  /** ETags of its parts, in their order. */
  parts: string[]
}

/** Begins an upload; whoever asks twice has two. */
export async function beginUpload(s3: S3Client, name: string): Promise<S3Upload> {
  const query = { uploads: '' }
  const { text } = await s3.send({ method: 'POST', name, query, isOnce: true })
  const [uploadId] = textsOf(text, 'UploadId')
  if (uploadId === undefined) throw new Error('S3 has begun an upload without an id')
  return { uploadId, parts: [] }
}

/** Adds the next part, of 5 MiB or more unless it is the last. */
export async function addPart(
  s3: S3Client,
  name: string,
  { upload: { uploadId, parts }, content }: { upload: S3Upload; content: Buffer },
): Promise<void> {
  const query = { partNumber: String(parts.length + 1), uploadId }
  const { headers } = await s3.send({ method: 'PUT', name, query, body: content })
  parts.push(headers.etag ?? '')
}

/** Makes one object of the parts. False when there is no such upload: completed, or aborted. */
export async function completeUpload(
  s3: S3Client,
  name: string,
  { uploadId, parts }: S3Upload,
): Promise<boolean> {
  const list = parts.map(
    (etag, index) =>
      `<Part><PartNumber>${String(index + 1)}</PartNumber><ETag>${toXml(etag)}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
  return (await toFound(s3.send({ method: 'POST', name, query: { uploadId }, body }))) !== undefined
}

/** Ends all uploads of this name; false when there were none. */
export async function abortUploads(s3: S3Client, name: string): Promise<boolean> {
  const ids = await listUploads(s3, name)
  for (const uploadId of ids) {
    await toFound(s3.send({ method: 'DELETE', name, query: { uploadId } }))
  }
  return ids.length > 0
}

/** The upload of this name that another process has begun; undefined when there is none. */
export async function findUpload(s3: S3Client, name: string): Promise<S3Upload | undefined> {
  const [uploadId] = await listUploads(s3, name)
  if (uploadId === undefined) return undefined
  const parts: string[] = []
  for (let marker: string | undefined = '0'; marker !== undefined;) {
    const query: Record<string, string> = { uploadId, 'part-number-marker': marker }
    const { text } = await s3.send({ method: 'GET', name, query })
    parts.push(...textsOf(text, 'ETag'))
    const isTruncated = textsOf(text, 'IsTruncated')[0] === 'true'
    marker = isTruncated ? textsOf(text, 'NextPartNumberMarker')[0] : undefined
  }
  return { uploadId, parts }
}

/** MinIO lists the uploads of an object by its whole name and by no shorter prefix. */
async function listUploads(s3: S3Client, name: string): Promise<string[]> {
  const key = s3.prefix + name
  const { text } = await s3.send({ method: 'GET', query: { uploads: '', prefix: key } })
  return [...text.matchAll(/<Upload>[^]*?<\/Upload>/g)]
    .filter(([upload]) => textsOf(upload, 'Key')[0] === key)
    .flatMap(([upload]) => textsOf(upload, 'UploadId'))
}

/** Objects whose names begin so, with their age in seconds by the clock of the store. */
export async function* listObjects(s3: S3Client, start: string) {
  const query: Record<string, string> = { 'list-type': '2', prefix: s3.prefix + start }
  for (;;) {
    const { text, headers } = await s3.send({ method: 'GET', query })
    const now = Date.parse(headers.date ?? '') || Date.now()
    for (const [object] of text.matchAll(/<Contents>[^]*?<\/Contents>/g)) {
      const [key = ''] = textsOf(object, 'Key')
      const [modified = ''] = textsOf(object, 'LastModified')
      yield { name: key.slice(s3.prefix.length), ageSeconds: (now - Date.parse(modified)) / 1000 }
    }
    const [token] = textsOf(text, 'NextContinuationToken')
    if (token === undefined) return
    query['continuation-token'] = token
  }
}

/** Undefined for 404. */
export async function toFound<Result>(response: Promise<Result>): Promise<Result | undefined> {
  try {
    return await response
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return undefined
    throw error
  }
}

/** The texts of all elements of this name. */
function textsOf(xml: string, name: string): string[] {
  const elements = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))
  return [...elements].map(([, text = '']) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#34;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )
}

function toXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
