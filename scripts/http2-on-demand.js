/**
 * Fastify gets this module for node:https and node:http2 in the package. To load them takes 16 ms of a start and
 * 3 MB, and only a service with TLS needs the second one.
 */
export const createSecureServer = (...options) =>
  process.getBuiltinModule('node:http2').createSecureServer(...options)
