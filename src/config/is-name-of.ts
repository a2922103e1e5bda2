export function isNameOf<Named extends object>(
  named: Named,
  name: PropertyKey,
): name is keyof Named {
  return Object.hasOwn(named, name)
}
