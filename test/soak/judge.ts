import type { Report } from './friendly.ts'
import type { Sample } from './service.ts'

const mebibyte = 1024 ** 2
/** What docs/operating.md tells an operator to give each process. */
const maxResidentBytes = 512 * mebibyte
/** From the second quarter to the last, when caches, such as that of exchanges, are full: so after some minutes. */
const maxGrowth = 1.15
const maxGrowthBytes = 16 * mebibyte
const leastQuarterSeconds = 60
const maxMoreDescriptors = 10
export const maxP99Ms = 50

const toMebibytes = (bytes: number) => Math.round(bytes / mebibyte)

function findMedian(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
}

export function findPercentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)] ?? 0
}

/** The samples of the last process, which runs for most of the time, in four parts. */
function toQuarters(samples: readonly Sample[], pid: number | undefined): Sample[][] {
  const ofProcess = samples.filter((sample) => sample.pid === pid)
  const length = Math.ceil(ofProcess.length / 4)
  return [0, 1, 2, 3].map((part) => ofProcess.slice(part * length, (part + 1) * length))
}

export function judgeMemory(samples: readonly Sample[], pid: number | undefined): string[] {
  const medians = toQuarters(samples, pid).map((part) =>
    findMedian(part.map(({ residentBytes }) => residentBytes)),
  )
  const most = Math.max(...samples.map(({ residentBytes }) => residentBytes))
  console.log(
    `Memory: ${medians.map(toMebibytes).join(', ')} MiB in the four quarters of the longest process, ${String(toMebibytes(most))} MiB at most`,
  )
  const [, second = 0, third = 0, last = 0] = medians
  const isLong = samples.filter((sample) => sample.pid === pid).length >= 4 * leastQuarterSeconds
  const isGrowing = isLong && last > third && last > second * maxGrowth + maxGrowthBytes
  return [
    ...(isGrowing
      ? [`memory grows from ${String(toMebibytes(second))} to ${String(toMebibytes(last))} MiB`]
      : []),
    ...(most > maxResidentBytes ? [`the process has ${String(toMebibytes(most))} MiB`] : []),
  ]
}

export function judgeDescriptors(
  samples: readonly Sample[],
  before: Sample,
  after: Sample,
): string[] {
  const most = Math.max(...samples.map(({ descriptors }) => descriptors))
  const [first, last] = [before.descriptors, after.descriptors]
  console.log(
    `Descriptors: ${String(first)} at the start, ${String(most)} at most, ${String(last)} when all clients had left`,
  )
  const isLeak = first > 0 && last > first + maxMoreDescriptors
  return isLeak ? [`${String(last - first)} descriptors are not closed`] : []
}

export function judgeClients(report: Report, isStrict: boolean): string[] {
  const { latencies, requests, repeated, shed, failures } = report
  const [p50, p99] = [50, 99].map((percent) => findPercentile(latencies, percent))
  console.log(
    `Friendly clients: ${String(requests)} requests, p50 ${String(p50?.toFixed(1))} ms, p99 ${String(p99?.toFixed(1))} ms, ` +
      `${String(failures.length)} failed, ${String(repeated)} repeated at restarts, ${String(shed)} got 503 because of the load`,
  )
  const isSlow = isStrict && (p99 ?? 0) > maxP99Ms
  return [
    ...failures.slice(0, 20),
    ...(latencies.length === 0 ? ['no friendly request had a response'] : []),
    ...(isSlow ? [`p99 is more than ${String(maxP99Ms)} ms`] : []),
    ...(isStrict && shed > 0 ? [`${String(shed)} friendly requests got 503`] : []),
  ]
}
