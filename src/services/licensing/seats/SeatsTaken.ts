import type { Activation } from "../../../domain/licensing/entitlements/Activation.ts"
import type { ActivateRequest, RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import type { HeldWrite } from "../entitlements/RuntimeWrites.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import type { Actor } from "../../log/Provenance.ts"
import type { ChangedDevice } from "../licenses/DeviceComponents.ts"
import type { MailNotice } from "../../mail/MailQueue.ts"
import { overageEvents } from "../../catalog/terms/OverageEvents.ts"
import { seatEvent } from "./Deactivations.ts"

/** An activation within a transaction of its caller's, which has locked the license. */
export interface HeldActivation
  extends Pick<HeldWrite<RuntimeRequest>, "credential" | "licenseId" | "request" | "origin">
{
  /** The caller that activates a device that does not ask itself, and whose address is not known; by default it asks. */
  readonly actor?: Actor
}

/** An activation by an app, or on its behalf. */
export type Activating = Omit<HeldActivation, "request"> & { readonly request: ActivateRequest }

/** An activation that was allowed, with what is written of it. */
export interface Taken {
  readonly write: Activating
  readonly seat: Activation
  readonly device: Device
  /** The change of a device that names its components. */
  readonly change: ChangedDevice | undefined
  /** The license as the activation leaves it; undefined where the device had its seat. */
  readonly license: License | undefined
  /** The id of the event of its activation. */
  readonly eventId: string
  /** Whether the license did not know the device before. */
  readonly isNew: boolean
}

/** The changes of devices that name their components. */
export const changesOf = (taken: ReadonlyArray<Taken>): ReadonlyArray<ChangedDevice> =>
  taken.flatMap(({ change }) => change ?? [])

/** The events of an activation. */
export const eventsOf = (
  { change, device, eventId, license, seat: { seats }, write: { actor, origin } }: Taken
): ReadonlyArray<NewEvent> => [
  ...(license === undefined ? [] : [
    { ...seatEvent("license.activated", license, device, origin, actor), id: eventId },
    ...overageEvents({ license_id: license.id, device_id: device.id, limit_of: "activations", ...seats }, {
      actor: licenseActor(license.id),
      origin
    })
  ]),
  ...(change === undefined ? [] : [change.event])
]

/** The mails about devices that took a seat for the first time; containers come and go, and are not worth one. */
export const noticesOf = (taken: ReadonlyArray<Taken>): ReadonlyArray<MailNotice> =>
  taken.flatMap(({ device, eventId, isNew, license }) =>
    license === undefined || !isNew || device.binding_kind === "container" ? [] : [{
      eventId,
      kind: "device_added",
      licenseId: license.id,
      details: {
        device_id: device.id,
        added_at: device.first_seen_at,
        ...(device.hostname === undefined ? {} : { device: device.hostname })
      }
    }]
  )
