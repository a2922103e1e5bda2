/** The folder of package.json as a URL, both from `src/` and from the bundle of the package. */
export const packageFolder = new URL('.', import.meta.resolve('vitrine/package.json'))
