import type { Config } from '../config/config.ts'
import { parseStubs } from '../stubs/parse-stubs.ts'
import type { Stub } from '../stubs/stub-list.ts'
import { collectProblems, toStubLimits } from './parse-data.ts'
import { parseDataText } from './parse-data-text.ts'
import { readSource } from './read-data-file.ts'

/** The stubs of RESPONSES_FILE, if it is set. */
export async function loadStubs(config: Config): Promise<readonly Stub[]> {
  const { responsesFile: source, maxJsonDepth } = config
  if (source === undefined) return []
  const value = await parseDataText(await readSource(source), maxJsonDepth)
  return collectProblems((reportOf) => {
    const report = reportOf(source)
    return parseStubs(value, toStubLimits(config, source), (reason, at = '/') => {
      report(at, reason)
    })
  })
}
