// Reads a response to its end, and prints its number of lines and the time.
import { request } from 'node:http'
import { performance } from 'node:perf_hooks'

const before = performance.now()
let lines = 0
request(process.argv[2], { headers: { accept: 'application/x-ndjson' } }, (response) => {
  response.on('data', (chunk) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1
  })
  response.on('end', () => {
    console.log(JSON.stringify({ lines, seconds: (performance.now() - before) / 1000 }))
  })
}).end()
