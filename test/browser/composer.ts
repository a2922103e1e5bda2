import type { Page } from 'playwright-core'

export const readRows = (page: Page) =>
  page.evaluate<string[]>(
    'Array.from(document.querySelectorAll("[data-part=headers] input"), ({ value }) => value)',
  )

export const sendButton = (page: Page) =>
  page.locator('.composer').getByRole('button', { name: 'Send' })

export async function paste(page: Page, command: string): Promise<void> {
  await page.getByLabel('Path').focus()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', ${JSON.stringify(command)})
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  }`)
}

/** The requests of a page, without those for its parts. */
export function watchRequests(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!/^\/(assets\/.*|inspector.*|)$/.test(pathname))
      sent.push(`${request.method()} ${pathname}`)
  })
  return sent
}

export const toHash = (request: unknown) => `/#${encodeURIComponent(JSON.stringify(request))}`
