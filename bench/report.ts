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
