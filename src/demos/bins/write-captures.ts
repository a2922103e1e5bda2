import type { NewRecord, Records, Step } from '../../stores/records/records.ts'
import { makeRoomIfFull } from '../../stores/store-failure.ts'
import { collectionNames } from './collections.ts'

export interface Capture {
  bin: string
  record: NewRecord
  /** That describes the file of the body. */
  file?: NewRecord | undefined
}

interface WaitingCapture extends PromiseWithResolvers<boolean> {
  capture: Capture
}

const maxTogether = 100

/** Writes the captures that arrive during a write together. Each is false if its bin has been removed. */
export function createCaptureWriter(records: Records, makeRoom: () => Promise<void>) {
  const waiting: WaitingCapture[] = []
  let writing: Promise<void> | undefined
  const write = async (captures: readonly Capture[]) => {
    const commit = () => records.commit(toSteps(captures))
    return (await makeRoomIfFull(commit, makeRoom)) === undefined
  }
  const settle = async (some: readonly WaitingCapture[]): Promise<void> => {
    try {
      const areWritten = await write(some.map(({ capture }) => capture))
      // Of several, another may have no bin.
      if (!areWritten && some.length > 1) for (const one of some) await settle([one])
      else for (const { resolve } of some) resolve(areWritten)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }
  const writeAll = async () => {
    while (waiting.length > 0) await settle(waiting.splice(0, maxTogether))
    writing = undefined
  }
  return (capture: Capture): Promise<boolean> => {
    const settled = Promise.withResolvers<boolean>()
    waiting.push({ capture, ...settled })
    writing ??= writeAll()
    return settled.promise
  }
}

function toSteps(captures: readonly Capture[]): Step[] {
  const ids = [...new Set(captures.map(({ bin }) => bin))]
  const files = captures.flatMap(({ file }) => file ?? [])
  const requests = captures.map(({ record }) => record)
  return [
    { collection: collectionNames.bins, kind: 'exist', ids },
    { collection: collectionNames.requests, kind: 'create', records: requests },
    ...(files.length === 0
      ? []
      : [{ collection: collectionNames.files, kind: 'create', records: files } as const]),
  ]
}
