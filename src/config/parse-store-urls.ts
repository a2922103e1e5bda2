import { toParser } from './parse-settings.ts'

// With a slash in the password, its rest would be taken for a host name and printed in an error.
export const databaseUrl = toParser(
  'sqlite:path/to/file.db, sqlite::memory: or postgres://user@host/name, with a percent-encoded password',
  (given) => /^(sqlite:.|postgres(ql)?:\/\/[^/?#]*([/?#][^@]*)?$)/.test(given),
)

export const redisUrl = toParser(
  'redis://host:port, or rediss://host:port for TLS, with a percent-encoded password',
  (given) =>
    /^(redis|valkey)s?:\/\/[^/?#]*([/?#][^@]*)?$/.test(given) && URL.parse(given)?.hostname,
)

export const filesUrl = toParser(
  'file:path/to/folder or s3://bucket/prefix?endpoint=https://host&region=name, where the bucket has at least 3 characters from a-z, 0-9, . and -',
  (given) => /^file:./.test(given) || isS3Url(given),
)

/** These characters need no encoding in a URL or in XML. */
function isS3Url(given: string): boolean {
  const { searchParams } = URL.parse(given) ?? {}
  const endpoint = URL.parse(searchParams?.get('endpoint') ?? 'https://host')
  return (
    /^s3:\/\/[a-z0-9][a-z0-9.-]{2,}(\/[\w.-]+)*\/?(\?[^?#]*)?$/.test(given) &&
    /^https?:$/.test(endpoint?.protocol ?? '') &&
    /^[\w-]*$/.test(searchParams?.get('region') ?? '')
  )
}
