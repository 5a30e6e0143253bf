import type { OverageStarted } from "../../domain/terms/OverageEvent.ts"
import type { NewEvent } from "../events/Events.ts"
import { licenseActor } from "../events/Provenance.ts"
import type { Origin } from "../events/Provenance.ts"

/** The event of a license that crossed one of its limits and goes on being served. */
export const overageEvent = (data: OverageStarted, origin: Origin): NewEvent => ({
  type: "license.overage_started",
  resourceId: data.license_id,
  data,
  metadata: {
    device_id: data.device_id,
    ...(data.feature_code === undefined ? {} : { feature_code: data.feature_code })
  },
  actor: licenseActor(data.license_id),
  origin
})
