import js from '@eslint/js'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const ownTimers = 'See src/timers.ts.'
const timers = ['Timeout', 'Interval', 'Immediate']
  .flatMap((name) => [`set${name}`, `clear${name}`])
  .concat('queueMicrotask', 'performance')

export default defineConfig(
  { ignores: ['node_modules', 'data', 'dist', 'bench/.python'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      // A function of an interface of promises need not wait itself: `async` turns what it throws into a rejection.
      '@typescript-eslint/require-await': 'off',
      // node:test collects the promises of its tests itself.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['test', 'suite'], package: 'node:test' },
          ],
        },
      ],
      // Fastify's replies and registrations are thenable, and are returned or awaited where it matters.
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.contract.ts', 'src/timers.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            ...['http', 'http2', 'https', 'tls'].map((name) => ({
              name: `node:${name}`,
              allowTypeImports: true,
              message: 'It makes each start longer: see src/http/node-http.ts.',
            })),
            { name: 'node:timers', message: ownTimers },
            { name: 'node:timers/promises', message: ownTimers },
          ],
        },
      ],
      'no-restricted-globals': ['error', ...timers.map((name) => ({ name, message: ownTimers }))],
      'no-restricted-properties': [
        'error',
        { object: 'AbortSignal', property: 'timeout', message: ownTimers },
      ],
    },
  },
  {
    files: ['bin/*.js', 'scripts/*.js', 'deploy/*.js', 'bench/**/*.js', '*.js', '.*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
      },
    },
  },
  {
    files: ['src/site/assets/*.js'],
    languageOptions: {
      globals: {
        document: 'readonly',
        DOMParser: 'readonly',
        fetch: 'readonly',
        location: 'readonly',
        navigator: 'readonly',
        performance: 'readonly',
        FormData: 'readonly',
        Headers: 'readonly',
        URLSearchParams: 'readonly',
        CSS: 'readonly',
        history: 'readonly',
        localStorage: 'readonly',
        sessionStorage: 'readonly',
        clearInterval: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        crypto: 'readonly',
        TextDecoder: 'readonly',
        TextEncoder: 'readonly',
        Blob: 'readonly',
        AbortController: 'readonly',
        URL: 'readonly',
        XMLHttpRequest: 'readonly',
      },
    },
  },
)
