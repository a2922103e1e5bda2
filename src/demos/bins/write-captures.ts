import type { NewRecord, Records } from '../../stores/records/records.ts'
import { retryIfFull } from '../../stores/store-failure.ts'
import { binCollections } from './collections.ts'

export interface BinCapture {
  bin: string
  record: NewRecord
  file: NewRecord | undefined
}

const maxTogether = 100

export function createCaptureWriter(records: Records, removeSome: () => Promise<void>) {
  let last: Promise<unknown> = Promise.resolve()
  let waiting: BinCapture[] = []
  let written: Promise<boolean>
  const write = async (captures: readonly BinCapture[]) => {
    // Those that arrive from now on are written after these.
    if (waiting === captures) waiting = []
    const commit = () => records.commit(toSteps(captures))
    return (await retryIfFull(commit, removeSome)) === undefined
  }
  return async (capture: BinCapture): Promise<boolean> => {
    if (waiting.length === maxTogether) waiting = []
    const captures = waiting
    if (captures.push(capture) === 1) {
      written = last.then(() => write(captures))
      last = written.catch(() => undefined)
    }
    // If there are several, another may have no bin.
    return (await written) || (captures.length > 1 && write([capture]))
  }
}

function toSteps(captures: readonly BinCapture[]) {
  const ids = [...new Set(captures.map(({ bin }) => bin))]
  const files = captures.flatMap(({ file }) => file ?? [])
  const requests = captures.map(({ record }) => record)
  return [
    { collection: binCollections.bins, kind: 'exist', ids },
    { collection: binCollections.requests, kind: 'create', records: requests },
    { collection: binCollections.files, kind: 'create', records: files },
  ] as const
}
