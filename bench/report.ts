import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toPlot } from './plot.ts'
import type { Result } from './results.ts'
import { figuresHead, ratesHead, toLines } from './table.ts'

const folder = join(import.meta.dirname, '../docs')

/** Writes `docs/performance.md` and its plot from the last result of each row that there is. */
export async function writeReport(
  names: readonly string[],
  results: Readonly<Record<string, Result>>,
): Promise<void> {
  const measured = names.flatMap((name) => {
    const result = results[name]
    return result ? [{ name, result }] : []
  })
  const linesOf = (isRate: boolean) =>
    measured
      .filter(({ result }) => (result.kind === 'rates') === isRate)
      .map(({ name, result }) => toLines(name, result))
      .join('\n')
  const growth = measured.map(({ result }) => result).find(({ kind }) => kind === 'growth')
  if (growth?.kind === 'growth') {
    await writeFile(join(folder, 'performance.svg'), toPlot(growth.points))
  }
  const text = `# Performance

\`npm run bench\` measures every row and writes this page; \`npm run bench -- json record\` measures these
rows alone, and \`npm run bench -- report\` writes the page from the last result of each, which are in
\`bench/results.json\`.

## Requests a second

A ratio is of the limit of its row: bare \`node:http\` that reads what is sent and answers with the
bytes and headers that Vitrine answers with, or nginx for files. All contenders of a row are asked
first whether they answer the same; json-server and httpbin answer with their own. Then they take
turns, several rounds long. Each ratio is of two turns of one round, the one in the table is the
median, and the spread is the lowest and the highest: an absolute figure means little on a machine
that is shared, and a ratio more. The last column is the time of the processor that one request
takes of the server, which a busy machine disturbs least.

Servers run on the first core, one process each. The load generator runs on the second: wrk with
one thread and 32 connections that are kept alive. Without wrk it is autocannon, which is itself no
faster than bare \`node:http\`, so that all ratios come out too near to 1.

${ratesHead}
${linesOf(true)}
${describeMissing(measured.map(({ result }) => result))}
### What is not reached, and why

A profile of \`GET /api/json\` (\`perf record\`, all of the process) has 36 % in the kernel, most of it
sending and waking the reader, 39 % in Node's own machine code, of which checking the characters of
header fields is the largest single part, and 21 % in compiled JavaScript, where nothing of Vitrine or
Fastify is above one percent. Fastify bare is where Vitrine would be with no limit, header and check of
its own; the best that was measured for Vitrine is 0.90 of \`node:http\`, in a row in which Fastify had
0.86. For a record, asking SQLite whether anybody has written (\`PRAGMA data_version\`) is 5 to 8 %, and is
not left out, since nothing else keeps a cache fresh that other processes write behind. A page is also
recorded for the wire. In an upload, collecting garbage is a quarter, writing the file 18 %, SHA-256 10 %.
Of a start, loading modules is two thirds, and building the routes a fifth.

On this machine, which is shared, the same code differs by a third from one run to the next. The best medians
of any whole run were: \`GET /api/json\` 0.76, with log lines 0.42 (0.52 when alone), record 0.52, 304 0.52, page 0.34, create 0.21
and 26 times json-server, \`DURABILITY=full\` 0.14, 4 KiB file 0.29, echoes 0.49 and 0.41, upload 246 MB/s,
start 405 ms.

Ratios below about 0.8 look worse here than the work is. Bare \`node:http\` made to wait in each answer
takes longer than it waits, since wrk has fallen asleep meanwhile, and sending then has to wake it:

| waits, µs | 0 | 5 | 10 | 20 | 40 |
| --- | --- | --- | --- | --- | --- |
| CPU, µs | 13.0 to 15.4 | 20.1 to 21.8 | 26.2 to 29.6 | 40.9 to 42.6 | 75.3 to 78.6 |

## Memory, start and size

${figuresHead}
${linesOf(false)}

## As it grows

What a request costs the server in time of its processor, beside more and more records. The lines
are the medians, the bars the lowest and highest.

![The cost of showing and of creating a record, by the number of records](performance.svg)

## Measured

${describeCircumstances(measured)}
`
  await writeFile(join(folder, 'performance.md'), text)
}

function describeMissing(results: readonly Result[]): string {
  const all = results.flatMap((result) => (result.kind === 'rates' ? result.missing : []))
  const missing = [...new Set(all)]
  return missing.length === 0
    ? ''
    : `\nNot installed where this was measured: ${missing.join(', ')}.\n`
}

/** Rows may have been measured on different days. */
function describeCircumstances(measured: readonly { name: string; result: Result }[]): string {
  const byCircumstances = Object.groupBy(measured, ({ result }) => result.circumstances)
  return Object.entries(byCircumstances)
    .map(([text, those = []]) => `- ${text}: ${those.map(({ name }) => name).join(', ')}`)
    .join('\n')
}
