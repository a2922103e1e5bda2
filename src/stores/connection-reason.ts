/** The reason lacks the host names and paths of the URL: a part of a password may be among them. */
export function toConnectionReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code = '', syscall, message, name }: NodeJS.ErrnoException = error
  if (syscall === 'getaddrinfo') return `the host was not found (${code})`
  if (syscall === 'open') return `a file named in the URL cannot be read (${code})`
  if (syscall === 'connect' && 'address' in error && !('port' in error)) {
    return `the socket cannot be connected (${code})`
  }
  // ioredis and Node join the errors of several IP addresses into one without a message.
  return message || code || name
}
