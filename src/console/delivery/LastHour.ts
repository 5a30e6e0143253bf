import type { WebhookHealth } from "../../client/api/index.ts"

const minute = 60_000

/** The minutes of the last hour, also those without an attempt. */
export const lastHour = ({ as_of, minutes }: WebhookHealth) => {
  const counted = new Map(minutes.map((each) => [Date.parse(each.minute), each]))
  const last = Math.floor(Date.parse(as_of) / minute) * minute
  return Array.from({ length: 60 }, (_, index) => {
    const at = last - (59 - index) * minute
    const { delivered = 0, failed_attempts: failed = 0 } = counted.get(at) ?? {}
    return { instant: new Date(at).toISOString(), delivered, failed }
  })
}
