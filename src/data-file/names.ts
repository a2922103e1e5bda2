/** First segments of the paths of the service itself, now or later. */
const reservedNames = [
  ...['assets', 'b', 'db', 'demos', 'docs', 'health', 'inspector', 'learn', 'problems', 's'],
]

export function findNameProblem(name: string): string | undefined {
  if (reservedNames.includes(name)) return 'is a path of the service: give it another name'
  if (/^[a-z0-9][\w-]{0,63}$/i.test(name)) return undefined
  return 'cannot be a path: use 1 to 64 letters, digits, - and _, and start with a letter or digit'
}
