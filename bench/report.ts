import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toPlot } from './plot.ts'
import type { Result } from './results.ts'
import { figuresHead, ratesHead, toLines } from './table.ts'

const folder = join(import.meta.dirname, '../docs')

/** Writes `docs/performance.md` and its plot from the last result of each row. */
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

\`npm run bench\` measures every row and writes this page. \`npm run bench -- json record\` measures only these
rows. \`npm run bench -- report\` writes the page from the last result of each row, which is in
\`bench/results.json\`.

## Requests per second

Each row is compared with a reference: bare \`node:http\` that reads the request and sends the same bytes
and headers as Vitrine, or nginx for files. All contenders of a row must send the same response;
json-server and httpbin send their own. They take turns for several rounds. A ratio compares two turns of
one round. The table has the median, and the spread is the lowest and the highest ratio. On a shared
machine ratios are more reliable than absolute figures. The last column is the CPU time of the server per
request, which other load affects least.

Servers run on the first core, one process each. The load generator runs on the second core: wrk with one
thread and 32 persistent connections. Without wrk it is autocannon, which is no faster than bare
\`node:http\`, so all ratios are then too close to 1.

${ratesHead}
${linesOf(true)}
${describeMissing(measured.map(({ result }) => result))}
### Missed targets

A profile of \`GET /api/json\` (\`perf record\`) shows 36 % in the kernel, mostly for sending and waking the
reader; 39 % in Node's machine code, of which checking the characters of headers is the largest part; and
21 % in compiled JavaScript, where no function of Vitrine or Fastify is above one percent. Bare Fastify is
the upper bound for Vitrine without its limits, headers and checks. The best result of Vitrine is 0.90 of
\`node:http\`, in a row in which Fastify had 0.86. For a record, 5 to 8 % are spent on \`PRAGMA data_version\`,
which keeps the cache correct when other processes write. Pages are also recorded for the request
inspector. In an upload, garbage collection takes a quarter, writing the file 18 %, and SHA-256 10 %. Of a
start, loading modules takes two thirds, and building the routes a fifth.

This machine is shared, and results of the same code differ by a third between runs. The best medians of
any whole run were: \`GET /api/json\` 0.76, with log lines 0.42 (0.52 when alone), record 0.52, 304 0.52, page 0.34, create 0.21
and 26 times json-server, \`DURABILITY=full\` 0.14, 4 KiB file 0.29, echoes 0.49 and 0.41, upload 246 MB/s,
start 405 ms.

Ratios below about 0.8 exaggerate the work. If bare \`node:http\` waits in each response, it uses more CPU time
than it waits, because wrk sleeps meanwhile and must be woken:

| waits, µs | 0 | 5 | 10 | 20 | 40 |
| --- | --- | --- | --- | --- | --- |
| CPU, µs | 13.0 to 15.4 | 20.1 to 21.8 | 26.2 to 29.6 | 40.9 to 42.6 | 75.3 to 78.6 |

## Memory, start and size

${figuresHead}
${linesOf(false)}

## Growth

The CPU time of the server per request, with more and more records. Lines are medians, bars the lowest and
highest results.

![CPU time to show and to create a record, by the number of records](performance.svg)

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

/** Rows can be of different days. */
function describeCircumstances(measured: readonly { name: string; result: Result }[]): string {
  const byCircumstances = Object.groupBy(measured, ({ result }) => result.circumstances)
  return Object.entries(byCircumstances)
    .map(([text, those = []]) => `- ${text}: ${those.map(({ name }) => name).join(', ')}`)
    .join('\n')
}
