import { crosses } from "../../../domain/catalog/terms/Overage.ts"
import { overageOf } from "../../../domain/catalog/terms/Overage.ts"
import type { OverageStarted } from "../../../domain/catalog/terms/Overage.ts"
import type { NewEvent } from "../../log/Events.ts"

/** A use of one of a license's limits, which may have crossed it. */
interface LimitedUse extends Omit<OverageStarted, "over" | "overage"> {
  /** The usage before. */
  readonly before: number
  /** The terms about usage beyond the limit. */
  readonly overage: string | undefined
}

/** The event of a license that crossed one of its limits and goes on being served; none where it did not. */
export const overageEvents = (
  { before, overage, ...about }: LimitedUse,
  by: Pick<NewEvent, "actor" | "origin">
): ReadonlyArray<NewEvent> => {
  const over = overageOf({ limit: about.limit, used: about.used, overage })
  if (over === undefined || !crosses({ before, after: about.used, limit: about.limit })) return []
  const { device_id, feature_code, license_id } = about
  return [{
    type: "license.overage_started",
    resourceId: license_id,
    data: { ...about, ...over, overage: overage! } satisfies OverageStarted,
    metadata: {
      ...(device_id === undefined ? {} : { device_id }),
      ...(feature_code === undefined ? {} : { feature_code })
    },
    ...by
  }]
}
