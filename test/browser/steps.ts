import type { Page } from 'playwright-core'

/** Waits for a page with this heading. */
export async function waitForHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

/** Fills in a form by the labels of its fields, and presses its button. */
export async function submit(
  page: Page,
  fields: Readonly<Record<string, string>>,
  button: string,
): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    await page.getByLabel(label).fill(value)
  }
  await page.getByRole('button', { name: button, exact: true }).click()
}

/** Opens the panel at the foot of the page, and waits for the exchange in it. */
export async function openPanel(page: Page) {
  const panel = page.locator('details.inspector')
  // It stays open from page to page: the script opens it as soon as it shows the status.
  await panel.locator('summary .status').waitFor()
  if ((await panel.getAttribute('open')) === null) await panel.locator('summary').click()
  const exchange = panel.locator('[data-exchange]').last()
  await exchange.waitFor()
  return exchange
}
