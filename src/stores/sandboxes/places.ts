/** A place has the records of one sandbox, for one of its lives: its collections are named `<place>/<name>`. */
export const toPlaceName = (place: string, name: string): string => `${place}/${name}`

/** No name of a resource has a slash. */
export const isOfPlace = (name: string): boolean => name.includes('/')

export const withoutPlace = (name: string): string => name.slice(name.indexOf('/') + 1)

/** What sandboxes begin with: a copy of the first records of the data file and of the samples. */
export const pristinePlace = 'pristine'

/** `0` is the character after the slash. */
export const toPlaceRange = (place: string) => [`${place}/`, `${place}0`] as const
