/** `fixtures/a b.pdf` → `/fixtures/a%20b.pdf`: files are opened as those of a URL. */
export const toFilePath = (file: string) =>
  `/${file.replace(/^\.\//, '').split('/').map(encodeURIComponent).join('/')}`
