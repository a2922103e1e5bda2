// The dependency arrow of ARCHITECTURE.md, enforced by `npm run check:layers`.
const drivers = '^node:(sqlite)$|(^|node_modules/)(pg|ioredis|aws4fetch)(/|$)'

/** What each folder of src/ can import. */
const allowed = {
  config: 'timers',
  http: 'config',
  stores: 'config',
  auth: 'config|http|stores',
  limits: 'config|http|stores',
  idempotency: 'config|http|stores|auth',
  events: 'config|http|stores',
  responses: 'config|http|stores|lists',
  stubs: 'config|http|stores|lists|site|responses',
  httpbin: 'config|http|site',
  site: 'config|http|stores|exchanges|operations/readiness',
  exchanges: 'config|http|site',
  import: 'config|http|site|exchanges|inspector|responses|stubs',
  inspector: 'config|http|stores|auth|lists|site|exchanges|events',
  lists: 'config|http|stores',
  resources: 'config|http|stores|lists|site|idempotency|auth|events',
  'json-server': 'config|http|stores|lists|site|resources',
  'test-api':
    'config|http|stores|lists|site|exchanges|events|inspector|resources|responses|data-file|stubs',
  'data-file': 'config|http|stores|site|resources|responses|stubs|json-server|test-api',
  demos:
    'config|http|stores|lists|site|exchanges|resources/(definition|routes|samples|openapi/schemas)|events|responses|httpbin|auth',
  server: 'config|http|stores|limits',
  operations: 'config|http|stores|server',
  cli: 'config|http|stores|auth|limits|resources|data-file|test-api|demos|operations|server|import|app',
}

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'demos-are-islands',
      severity: 'error',
      from: { path: '^src/demos/([^/]+)/' },
      to: { path: '^src/demos/', pathNot: '^src/demos/$1/' },
    },
    ...Object.entries(allowed).map(([from, to]) => ({
      name: `${from}-imports-only-allowed`,
      severity: 'error',
      from: { path: `^src/${from}/` },
      to: { path: '^src/', pathNot: `^src/(${from}|${to}|timers)(/|\\.ts$)` },
    })),
    {
      name: 'each-folder-has-a-row',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${Object.keys(allowed).join('|')})/` },
      to: { path: '^src/' },
    },
    {
      name: 'app-knows-no-demo',
      severity: 'error',
      from: { path: '^src/app\\.ts$' },
      to: {
        path: '^src/(data-file|test-api(?!/requested-failure)|json-server|demos|resources|cli)/',
      },
    },
    {
      name: 'only-interfaces-of-stores',
      severity: 'error',
      from: {
        path: '^src/(data-file|test-api|json-server|events|responses|stubs|httpbin|demos|lists|resources|idempotency|limits|auth|site|exchanges|inspector|server|operations|app\\.ts)',
      },
      to: {
        path: '^src/stores/',
        pathNot: [
          '^src/stores/([^/]+)/\\1\\.ts$',
          '^src/stores/(collection-names|create-id|expiring|load-driver|store-failure|orphaned-files|sweep-regularly|open-stores)\\.ts$',
        ],
      },
    },
    {
      name: 'drivers-inside-stores-only',
      severity: 'error',
      from: { pathNot: '^src/stores/' },
      to: { path: drivers },
    },
    {
      name: 'metrics-inside-operations-only',
      severity: 'error',
      from: { pathNot: '^src/operations/' },
      to: { path: '(^|node_modules/)prom-client(/|$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Tests use the service from outside, wherever they are.
    exclude: { path: '\\.(test|contract)\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node'] },
    includeOnly: '^(src/|node:)|node_modules',
  },
}
