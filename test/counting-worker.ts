import { handlers, sendToSupervisor, sharedCounters } from '../src/operations/workers.ts'

handlers.count = (key) => sharedCounters?.add(key)
await sendToSupervisor?.('opened')
