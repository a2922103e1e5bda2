// Applies the chosen theme before anything is painted.
try {
  const { theme } = localStorage
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // The browser blocks storage.
}

// A page below /s/KEY sends its requests below it too.
{
  const [base] = document.currentScript.getAttribute('src').split('/assets/')
  const toBelow = (given) => {
    const url = new URL(given, location.href)
    const isOwn = url.origin === location.origin && !`${url.pathname}/`.startsWith(`${base}/`)
    return isOwn ? url.origin + base + url.pathname + url.search + url.hash : String(given)
  }
  if (base !== '') {
    const send = globalThis.fetch
    globalThis.fetch = (given, options) =>
      send(given instanceof globalThis.Request ? given : toBelow(given), options)
    const Source = globalThis.EventSource
    globalThis.EventSource = class extends Source {
      constructor(given, options) {
        super(toBelow(given), options)
      }
    }
  }
}
