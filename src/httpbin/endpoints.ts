import type { Endpoint } from './dialect.ts'
import { inspectEndpoints } from './endpoints/inspect.ts'
import { statusEndpoints } from './endpoints/status.ts'

/** Both surfaces: `methods` of each endpoint shows in which it exists. By the name of their file. */
const groups: Readonly<Record<string, readonly Endpoint[]>> = {
  inspect: inspectEndpoints,
  status: statusEndpoints,
}

export const endpoints = Object.entries(groups).flatMap(([name, group]) =>
  group.map((endpoint) => ({ ...endpoint, file: `src/httpbin/endpoints/${name}.ts` })),
)
