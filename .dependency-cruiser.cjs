// The arrow of ARCHITECTURE.md, held by `npm run check:layers`.
const drivers = '^node:(sqlite)$|(^|node_modules/)(pg|ioredis|aws4fetch)(/|$)'

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'rooms-are-islands',
      severity: 'error',
      from: { path: '^src/rooms/([^/]+)/' },
      to: { path: '^src/rooms/', pathNot: '^src/rooms/$1/' },
    },
    {
      name: 'http-and-storage-know-no-room',
      severity: 'error',
      from: { path: '^src/(http|storage)/' },
      to: {
        path: '^src/(rooms|resources|limits|rooms\\.ts|room\\.ts|app\\.ts|main\\.ts|backends\\.ts)',
      },
    },
    {
      name: 'http-and-storage-know-not-each-other',
      severity: 'error',
      from: { path: '^src/(http|storage)/' },
      to: { path: '^src/(http|storage)/', pathNot: '^src/$1/' },
    },
    {
      name: 'resources-know-no-room',
      severity: 'error',
      from: { path: '^src/resources/' },
      to: { path: '^src/(rooms/|rooms\\.ts|app\\.ts|main\\.ts|backends\\.ts)' },
    },
    {
      name: 'only-interfaces-of-storage',
      severity: 'error',
      from: { path: '^src/(rooms|resources|replays|limits|app\\.ts)' },
      to: {
        path: '^src/storage/',
        pathNot: ['^src/storage/([^/]+)/\\1\\.ts$', '^src/storage/(failure|leftovers)\\.ts$'],
      },
    },
    {
      name: 'drivers-inside-storage-only',
      severity: 'error',
      from: { pathNot: '^src/storage/' },
      to: { path: drivers },
    },
    {
      name: 'metrics-inside-admin-only',
      severity: 'error',
      from: { pathNot: '^src/admin/' },
      to: { path: '(^|node_modules/)prom-client(/|$)' },
    },
    {
      name: 'only-main-starts',
      severity: 'error',
      from: { pathNot: '^src/(main|serve|embed)\\.ts$|^src/commands/' },
      to: { path: '^src/(main|serve|rooms|backends)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Tests go through the front door, from wherever they stand.
    exclude: { path: '\\.(test|contract)\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node'] },
    includeOnly: '^(src/|node:)|node_modules',
  },
}
