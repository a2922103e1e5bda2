import { existsSync, readFileSync } from 'node:fs'

/** What a process has used so far; undefined where the system does not report it. */
export function readUsage(
  pid: number | undefined,
): { cpuSeconds: number; residentBytes: number } | undefined {
  const folder = `/proc/${String(pid)}`
  if (!existsSync(`${folder}/stat`)) return undefined
  // proc_pid_stat(5): the fields behind the name in parentheses begin with the third.
  const fields = readFileSync(`${folder}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
  const ticks = Number(fields[14 - 3]) + Number(fields[15 - 3])
  const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`${folder}/status`, 'latin1'))?.[1]
  return { cpuSeconds: ticks / 100, residentBytes: Number(kibibytes) * 1024 }
}
