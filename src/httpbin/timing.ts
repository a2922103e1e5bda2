interface Timing {
  delay: number
  duration: number
  pauseMs: number
  /** The sum if unset. */
  total?: number
}

const toMetric = (name: string, seconds: number, description: string) =>
  `${name};dur=${(seconds * 1000).toFixed(2)};desc="${description}"`

/** The value of Server-Timing for a delay in seconds. */
export const toTiming = (delay: number) => toMetric('initial_delay', delay, 'initial delay')

/** The value of Server-Timing for a body that is sent in parts. */
export function toPacedTiming({
  delay,
  duration,
  pauseMs,
  total = delay + duration,
}: Timing): string {
  return [
    toMetric('total_duration', total, 'total request duration'),
    toTiming(delay),
    toMetric('write_duration', duration, 'duration of writes after initial delay'),
    toMetric('pause_per_write', pauseMs / 1000, 'computed pause between writes'),
  ].join(', ')
}
