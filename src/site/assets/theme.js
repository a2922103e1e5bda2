// Applies the chosen theme before anything is painted.
const { theme } = localStorage
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
