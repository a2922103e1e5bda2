/**
 * Why a connection failed, without the host names and paths of the URL: part of a password may have
 * been taken for one of them.
 */
export function toConnectionReason(error: Error & { code?: string; syscall?: string }): string {
  const { code = '', syscall = '', message } = error
  if (syscall === 'getaddrinfo') return `the host was not found (${code})`
  if (syscall === 'open') return `a file named in the URL cannot be read (${code})`
  // A Unix socket.
  if (syscall === 'connect' && 'address' in error && !('port' in error)) {
    return `the socket cannot be connected (${code})`
  }
  // ioredis and Node join the errors of several IP addresses into one without a message.
  return message || code || error.name
}
