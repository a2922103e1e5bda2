import assert from 'node:assert/strict'

interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

export interface ParsedMetrics {
  samples: readonly Sample[]
  /** The sum of all samples with this name and these labels, among others; 0 where there is none. */
  sum: (name: string, labels?: Readonly<Record<string, string>>) => number
}

const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*)$/
const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y
const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped']

/**
 * Reads the text format of Prometheus, and fails for whatever is not in it: the parsers that npm has
 * take any line (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export function parseMetrics(text: string): ParsedMetrics {
  assert.ok(text.endsWith('\n'), 'the last line must end')
  const typesByName = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, about = '', rest = ''] = comment.exec(line) ?? []
    if (kind === 'TYPE') {
      assert.ok(types.includes(rest) && !typesByName.has(about), line)
      typesByName.set(about, rest)
    } else if (kind === undefined) samples.push(parseSample(line))
  }
  assertTyped(samples, typesByName)
  const series = samples.map(({ name, labels }) => toSeries(name, labels))
  assert.equal(new Set(series).size, series.length, 'each series is there once')
  assertHistograms(samples, typesByName)
  return { samples, sum: (name, labels = {}) => sum(samples, name, labels) }
}

function parseSample(line: string): Sample {
  const [, name, labels = '', number = ''] = sample.exec(line) ?? assert.fail(line)
  const value = /^[+-]Inf$/.test(number) ? Number(`${number}inity`) : Number(number)
  assert.ok(!Number.isNaN(value) || /^nan$/i.test(number), line)
  return { name: name ?? '', labels: parseLabels(labels), value }
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (label.lastIndex = 0; label.lastIndex < text.length;) {
    const [, name = '', value = ''] = label.exec(text) ?? assert.fail(text)
    assert.ok(!(name in labels), text)
    labels[name] = value
  }
  return labels
}

function toSeries(name: string, labels: Sample['labels']): string {
  return JSON.stringify([name, Object.entries(labels).toSorted()])
}

/** A sample is of a metric of that name, or a part of a histogram of the name before the suffix. */
function assertTyped(samples: readonly Sample[], typesByName: ReadonlyMap<string, string>): void {
  for (const { name } of samples) {
    const whole = name.replace(/_(bucket|sum|count)$/, '')
    assert.ok(typesByName.has(name) || typesByName.get(whole) === 'histogram', name)
  }
}

function assertHistograms(samples: readonly Sample[], typesByName: ReadonlyMap<string, string>) {
  for (const [name, type] of typesByName) {
    if (type !== 'histogram') continue
    for (const { labels, value } of samples.filter((one) => one.name === `${name}_count`)) {
      const buckets = samples.filter((one) => {
        const { le, ...others } = one.labels
        const isOfIt = one.name === `${name}_bucket` && le !== undefined
        return isOfIt && toSeries('', others) === toSeries('', labels)
      })
      const values = buckets.map((bucket) => bucket.value)
      assert.deepEqual(
        values,
        values.toSorted((one, other) => one - other),
        name,
      )
      assert.equal(buckets.at(-1)?.labels.le, '+Inf', name)
      assert.equal(buckets.at(-1)?.value, value, name)
    }
  }
}

function sum(samples: readonly Sample[], name: string, labels: Sample['labels']): number {
  return samples
    .filter((one) => one.name === name)
    .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((total, { value }) => total + value, 0)
}
