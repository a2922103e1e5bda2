// What a peer answers: the very bytes and headers that Vitrine has answered, from a file.
import { readFileSync } from 'node:fs'

const { status, headers, body } = JSON.parse(readFileSync(process.env.REFERENCE, 'utf8'))

export const reference = { status, headers, body: Buffer.from(body, 'base64') }
export const port = Number(process.env.PORT)
