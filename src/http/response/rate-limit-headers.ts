import { serializeList, type Item } from 'structured-headers'

export interface QuotaState {
  name: string
  quota: number
  windowSeconds: number
  left: number
  resetSeconds: number
}

/** draft-ietf-httpapi-ratelimit-headers-10 */
export function toRateLimitHeaders(states: readonly QuotaState[]) {
  const toList = (toItem: (state: QuotaState) => Record<string, number>) =>
    serializeList(states.map((state): Item => [state.name, new Map(Object.entries(toItem(state)))]))
  return {
    'ratelimit-policy': toList(({ quota: q, windowSeconds: w }) => ({ q, w })),
    ratelimit: toList(({ left: r, resetSeconds: t }) => ({ r, t })),
  }
}
