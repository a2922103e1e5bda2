// The dependency arrow of ARCHITECTURE.md, enforced by `npm run check:layers`.
const drivers = '^node:(sqlite)$|(^|node_modules/)(pg|ioredis|aws4fetch)(/|$)'
const above =
  'data-file|test-api|json-server|httpbin|responses|demos|resources|site|inspector|idempotency|limits|auth|server|operations|cli'

/** Nothing in `from` may import anything in `to`, both given as alternatives of folders in src/. */
function forbid(name, from, to) {
  return {
    name,
    severity: 'error',
    from: { path: `^src/(${from})/` },
    to: { path: `^src/(${to})(/|\\.ts$)` },
  }
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
    forbid('http-imports-nothing-above', 'http', `${above}|stores|app|main`),
    forbid('stores-import-nothing-above', 'stores', `${above}|http|app|main`),
    forbid(
      'auth-limits-idempotency-use-http',
      'auth|limits|idempotency',
      'data-file|test-api|json-server|demos|resources|site|inspector|server|operations|cli|app|main',
    ),
    forbid(
      'site-knows-no-demo',
      'site|inspector',
      'data-file|test-api|json-server|demos|resources|server|cli|app|main',
    ),
    forbid(
      'resources-know-no-demo',
      'resources',
      'data-file|test-api|json-server|demos|inspector|server|operations|cli|app|main',
    ),
    forbid(
      'data-files-are-like-demos',
      'data-file|test-api|json-server',
      'demos|inspector|server|operations|cli|app|main',
    ),
    forbid(
      'httpbin-and-responses-know-no-demo',
      'httpbin|responses',
      'data-file|test-api|json-server|demos|resources|inspector|server|operations|cli|app|main',
    ),
    forbid('demos-know-no-server', 'demos', 'server|operations|cli|app|main'),
    forbid('cli-uses-no-pages', 'cli', 'site|inspector|limits|main|embed'),
    forbid(
      'server-uses-http-and-limits',
      'server',
      'demos|resources|site|inspector|auth|idempotency|operations|cli|app|main|embed',
    ),
    forbid(
      'operations-use-http-and-server',
      'operations',
      'demos|resources|site|inspector|auth|idempotency|limits|cli|app|main|embed',
    ),
    {
      name: 'config-uses-host-names-only',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/', pathNot: '^src/(config/|http/security/origins\\.ts$)' },
    },
    {
      name: 'app-knows-no-demo',
      severity: 'error',
      from: { path: '^src/app\\.ts$' },
      to: { path: '^src/(data-file|test-api|json-server|demos|resources|cli)/' },
    },
    {
      name: 'only-interfaces-of-stores',
      severity: 'error',
      from: {
        path: '^src/(data-file|test-api|json-server|responses|demos|resources|idempotency|limits|auth|site|inspector|server|operations|app\\.ts)',
      },
      to: {
        path: '^src/stores/',
        pathNot: [
          '^src/stores/([^/]+)/\\1\\.ts$',
          '^src/stores/(collection-names|load-driver|store-failure|orphaned-files|sweep-regularly|open-stores)\\.ts$',
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
