// What a baseline sends: the bytes and headers of Vitrine's response, from a file.
import { readFileSync } from 'node:fs'

const { status, headers, body } = JSON.parse(readFileSync(process.env.REFERENCE, 'utf8'))
const bytes = Buffer.from(body, 'base64')
const isText = /^text\/|json/.test(headers['content-type'] ?? '')

// Node writes a string together with the headers, and a buffer separately, which costs more.
export const reference = { status, headers, body: isText ? bytes.toString() : bytes }
export const port = Number(process.env.PORT)
