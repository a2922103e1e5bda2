// What a peer answers: the very bytes and headers that Vitrine has answered, from a file.
import { readFileSync } from 'node:fs'

const { status, headers, body } = JSON.parse(readFileSync(process.env.REFERENCE, 'utf8'))
const bytes = Buffer.from(body, 'base64')
const isText = /^text\/|json/.test(headers['content-type'] ?? '')

// Node writes a string together with the head, and bytes behind it: a twelfth more time.
export const reference = { status, headers, body: isText ? bytes.toString() : bytes }
export const port = Number(process.env.PORT)
