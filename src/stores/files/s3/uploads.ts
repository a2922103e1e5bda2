import { S3Error, type S3Client } from './client.ts'

export interface S3Upload {
  name: string
  uploadId: string
  parts: string[]
}

export async function beginUpload(s3: S3Client, name: string): Promise<S3Upload> {
  const query = { uploads: '' }
  const { text } = await s3.send({ method: 'POST', name, query, isOnce: true })
  const [uploadId] = textsOf(text, 'UploadId')
  if (uploadId === undefined) throw new Error('S3 has begun an upload without an id')
  return { name, uploadId, parts: [] }
}

export async function addPart(s3: S3Client, { name, uploadId, parts }: S3Upload, body: Buffer) {
  const query = { partNumber: String(parts.length + 1), uploadId }
  const { headers } = await s3.send({ method: 'PUT', name, query, body })
  parts.push(headers.etag ?? '')
}

/** Returns false if it was completed or aborted already. */
export async function completeUpload(s3: S3Client, { name, uploadId, parts }: S3Upload) {
  const list = parts.map(
    (etag, index) =>
      `<Part><PartNumber>${String(index + 1)}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
  return (await toFound(s3.send({ method: 'POST', name, query: { uploadId }, body }))) !== undefined
}

export async function abortUploads(s3: S3Client, name: string): Promise<void> {
  for (const uploadId of await listPendingUploads(s3, name)) {
    await toFound(s3.send({ method: 'DELETE', name, query: { uploadId } }))
  }
}

export async function findUpload(s3: S3Client, name: string): Promise<S3Upload | undefined> {
  const [uploadId] = await listPendingUploads(s3, name)
  if (uploadId === undefined) return undefined
  const parts: string[] = []
  for (let marker: string | undefined = '0'; marker !== undefined;) {
    const query: Record<string, string> = { uploadId, 'part-number-marker': marker }
    const { text } = await s3.send({ method: 'GET', name, query })
    parts.push(...textsOf(text, 'ETag'))
    const isTruncated = text.includes('<IsTruncated>true<')
    marker = isTruncated ? textsOf(text, 'NextPartNumberMarker')[0] : undefined
  }
  return { name, uploadId, parts }
}

/** MinIO lists uploads only by the whole name of the object. */
async function listPendingUploads(s3: S3Client, name: string): Promise<string[]> {
  const key = s3.prefix + name
  const { text } = await s3.send({ method: 'GET', query: { uploads: '', prefix: key } })
  return [...text.matchAll(/<Upload>[^]*?<\/Upload>/g)]
    .filter(([upload]) => textsOf(upload, 'Key')[0] === key)
    .flatMap(([upload]) => textsOf(upload, 'UploadId'))
}

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

export function toFound<Result>(response: Promise<Result>): Promise<Result | undefined> {
  return response.catch((error: unknown) => {
    if (error instanceof S3Error && error.status === 404) return undefined
    throw error
  })
}

const references = new Map(
  Object.entries({ '&quot;': '"', '&#34;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' }),
)

function textsOf(xml: string, name: string): string[] {
  const elements = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))
  return [...elements].map(([, text = '']) =>
    text.replaceAll(/&[^;]+;/g, (reference) => references.get(reference) ?? reference),
  )
}
