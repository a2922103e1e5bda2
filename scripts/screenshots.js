// Takes the screenshots in docs/screenshots/ of an instance with a few records. Run it after the pages
// have changed: node scripts/screenshots.js
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from '../test/support/find-chromium.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
const files = mkdtempSync(join(tmpdir(), 'vitrine-'))
const desk = { width: 1280, height: 800 }
const tall = { width: 1280, height: 1180 }
const phone = { width: 400, height: 800 }

const places = [
  ['Reykjavík', 64.15, -21.94, 'Steam, wool and a long evening light.'],
  ['Lisbon', 38.72, -9.14, 'Tiles, trams and the river.'],
  ['Nairobi', -1.29, 36.82, 'The park begins where the city ends.'],
  ['Kyoto', 35.01, 135.77, 'A garden behind every gate.'],
  ['Valparaíso', -33.05, -71.61, 'Painted stairs up from the harbour.'],
  ['Wellington', -41.29, 174.78, 'Wind, ferries and good coffee.'],
  ['Montréal', 45.5, -73.57, 'Two languages and an underground city.'],
]

async function start() {
  const settings = { PORT: '0', DATABASE_URL: 'sqlite::memory:', FILES_URL: `file:${files}` }
  const env = { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...settings }
  const server = spawn(process.execPath, ['bin/vitrine.js'], { cwd: project, env })
  for await (const line of createInterface(server.stdout)) {
    const [, origin] = /^Vitrine is listening on (\S+)$/.exec(line) ?? []
    if (origin) return { server, origin }
  }
  throw new Error('Vitrine did not start.')
}

async function put(origin, path, fields) {
  const headers = { 'content-type': 'application/json' }
  await fetch(origin + path, { method: 'PUT', headers, body: JSON.stringify(fields) })
}

async function fill(origin) {
  for (const [name, latitude, longitude, note] of places) {
    const id = name.normalize('NFD').replace(/\W/g, '').toLowerCase()
    await put(origin, `/locations/${id}`, { name, latitude, longitude, note })
  }
  await put(origin, '/users/ann', { name: 'Ann', password: 'correct horse' })
}

async function openInspector(page) {
  await page.locator('details.inspector summary').first().click()
  await page.locator('details.inspector [data-exchange]').waitFor()
}

async function sendRequest(page) {
  const main = page.getByRole('main')
  await main.getByRole('button', { name: /^Send/ }).first().click()
  await main.locator('.exchange').first().waitFor()
  const step = main.locator('.step').first()
  await step.evaluate((one) => one.scrollIntoView())
}

async function sendMistakes(page) {
  await page.getByLabel('Latitude').fill('48.2')
  // Shows the errors of the service instead of those of the browser.
  await page.evaluate('document.querySelector("main form").noValidate = true')
  await page.getByRole('button', { name: 'Create location' }).click()
  await page.locator('[aria-invalid]').first().waitFor()
}

async function logIn(page) {
  await page.getByLabel('Name').fill('Ann')
  await page.getByLabel('Password').fill('correct horse')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL('**/session')
}

const pictures = [
  { name: 'home', path: '/' },
  { name: 'home-dark', path: '/', colorScheme: 'dark' },
  { name: 'home-phone', path: '/', viewport: phone },
  { name: 'locations', path: '/locations' },
  { name: 'locations-phone', path: '/locations', viewport: phone },
  { name: 'record-and-inspector', path: '/locations/kyoto', act: openInspector, viewport: tall },
  { name: 'form-with-messages', path: '/locations/new', act: sendMistakes },
  { name: 'docs', path: '/docs/getLocations' },
  { name: 'lesson', path: '/learn/content-negotiation', act: sendRequest, viewport: tall },
  { name: 'session', path: '/login', act: logIn, viewport: { width: 1280, height: 1500 } },
]

const { server, origin } = await start()
const browser = await chromium.launch({ executablePath: findChromium() })
try {
  await fill(origin)
  for (const { name, path, act, viewport = desk, ...options } of pictures) {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...options })
    const page = await context.newPage()
    await page.goto(origin + path)
    await act?.(page)
    await page.waitForLoadState('load')
    await page.screenshot({ path: join(project, `docs/screenshots/${name}.png`) })
    await context.close()
  }
} finally {
  await browser.close()
  server.kill()
  await once(server, 'exit')
  rmSync(files, { recursive: true })
}
