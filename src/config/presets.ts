import { localHosts } from '../http/security/allowed-hosts.ts'
import type { SettingName } from './settings.ts'

const mebibyte = String(1024 ** 2)

/** Other defaults for what is not set, as they would be written in the environment. */
export const presets: Readonly<
  Record<'none' | 'public', Readonly<Partial<Record<SettingName, string>>>>
> = {
  none: {},
  // For strangers: whatever they send, the machine is neither filled nor stalled. One of them alone
  // can still fill what they have together.
  public: {
    rateLimit: '300',
    loginRateLimit: '10',
    maxBodyBytes: '65536',
    maxUploadBytes: mebibyte,
    headersSeconds: '5',
    bodyIdleSeconds: '10',
    requestSeconds: '60',
    sendIdleSeconds: '30',
    maxConnections: '1000',
    maxConnectionsPerClient: '100',
    maxRecords: '1000',
    maxDatabaseBytes: String(256 * 1024 ** 2),
    maxFilesBytes: String(256 * 1024 ** 2),
    maxEventLoopDelayMs: '250',
    // A chat that shows a preview of a link asks for it, and is no browser.
    methodOverride: 'unsafe-from-post',
  },
}

/** The same where HOST is a loopback address and there is no proxy. */
export const localDefaults: Readonly<Partial<Record<SettingName, string>>> = {
  allowedHosts: localHosts.join(','),
  // A page that is developed on this machine.
  corsOrigins: 'http://localhost:*,http://127.0.0.1:*',
}
