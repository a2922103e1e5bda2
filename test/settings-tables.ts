import { settingNames, settings, toEnvironmentName, toFlagName } from '../src/config/settings.ts'

const settingRows = settingNames.map((name) => {
  const { default: fallback, description } = settings[name]
  const shown = fallback === undefined ? 'unset' : `\`${fallback}\``
  return `| \`${toEnvironmentName(name)}\` | \`--${toFlagName(name)}\` | ${shown} | ${description} |`
})

const presetRows = settingNames.flatMap((name) => {
  const { default: fallback = '', publicDefault } = settings[name]
  if (publicDefault === undefined) return []
  return [`| \`${toEnvironmentName(name)}\` | \`${publicDefault}\` | \`${fallback}\` |`]
})

/** The generated tables of the documentation: the file, the name of the marks around it, the text. */
export const tables = [
  {
    file: 'docs/settings.md',
    name: 'settings',
    text: [
      '| Variable | Flag | Default | Meaning |',
      '| --- | --- | --- | --- |',
      ...settingRows,
    ].join('\n'),
  },
  {
    file: 'docs/operating.md',
    name: 'preset',
    text: [
      '| Variable | With `--preset public` | Otherwise |',
      '| --- | --- | --- |',
      ...presetRows,
    ].join('\n'),
  },
]
