import { parseMembers } from "../../ground/parsing/JsonMembers.ts"
import type { EventKind } from "../../log/EventKind.ts"
import { wholeLicenseKinds } from "../../log/EventKind.ts"

/** The fields of an event that decide which later event replaces it. `data` and `metadata` are JSON text. */
export interface Anchorable {
  readonly event_type: EventKind
  readonly metadata: string
  readonly data: string
}

const memberOf = (text: string, name: string): string => String(parseMembers(text)[name])

/**
 * What an event is the last word about, as a name among those of its resource; none when what it says is never read
 * again. Of the dropped part of a log the last event of each slot is kept, so that what was true of a license can be
 * told for every instant since then.
 */
export const anchorSlots = (event: Anchorable): ReadonlyArray<string> => {
  switch (event.event_type) {
    case "policy.created":
    case "policy.updated":
    case "product.created":
    case "product.updated":
    case "device.reset":
      // How many seats whoever has the license key gave back, says the last such event.
      return memberOf(event.metadata, "self_service") === "true" ? ["self", "self_service"] : ["self"]
    case "feature.updated":
    case "subscription.created":
    case "subscription.updated":
    case "device.blacklisted":
    case "device.expired":
    case "device.renamed":
      return ["self"]
    case "device.components_changed":
      return ["components"]
    case "license.activated":
    case "license.deactivated":
      return ["self", `device:${memberOf(event.metadata, "device_id")}`]
    case "license.user_invited":
    case "license.user_joined":
    case "license.user_removed":
      return [`user:${memberOf(event.metadata, "user_id")}`]
    case "license.user_device_changed":
      return [`owner:${memberOf(event.data, "device_id")}`]
    case "license.feature_assigned":
    case "license.feature_removed":
    case "license.usage_reset":
    case "policy.feature_assigned":
    case "policy.feature_removed":
      // By the id: the code of a feature may change, and two products may have one of the same code.
      return [`feature:${memberOf(event.data, "feature_id")}`]
    case "license.usage_recorded":
      // A late use tells the total, and nothing of the running period.
      return [`${memberOf(event.data, "is_late") === "true" ? "late" : "use"}:${memberOf(event.data, "feature_id")}`]
    default:
      return wholeLicenseKinds.includes(event.event_type) ? ["self"] : []
  }
}
