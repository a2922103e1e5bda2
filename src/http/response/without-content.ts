/** RFC 9110 §6.4.1, §15.3.6 */
export const isWithoutContent = (status = 200) => status === 205 || endsWithHead(status)

/** RFC 9112 §6.3: its headers end the response, and it needs no Content-Length. */
export const endsWithHead = (status: number) => status === 204 || status === 304
