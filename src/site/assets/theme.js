// Applies the chosen theme before anything is painted.
try {
  const { theme } = localStorage
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // The browser blocks storage.
}
