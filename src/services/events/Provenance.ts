import { Context } from "effect"
import type { AuditActorType } from "../../domain/events/EventKind.ts"
import type { Scope } from "../../domain/security/ManagementKey.ts"

/** Where the work in hand comes from. It is stored on every event that the work causes. */
export interface Origin {
  readonly requestId: string | undefined
  readonly ipAddress: string | undefined
  /** The span of the request, as a W3C Trace Context header. */
  readonly traceparent: string | undefined
}

/** The request being answered; work of the service's own has none. */
export const RequestOrigin = Context.Reference<Origin>("countersign/services/events/RequestOrigin", {
  defaultValue: () => ({ requestId: undefined, ipAddress: undefined, traceparent: undefined })
})

/** Who acts, and with which rights. `scopes` is empty for anyone but a management key. */
export interface Actor {
  readonly type: AuditActorType
  readonly id: string
  readonly scopes: ReadonlyArray<Scope>
}

/** A license as the one who acts: the app that runs on it. */
export const licenseActor = (licenseId: string): Actor => ({ type: "license", id: licenseId, scopes: [] })

/** Who acts in the work in hand; without a credential, the service itself. */
export const CurrentActor = Context.Reference<Actor>("countersign/services/events/CurrentActor", {
  defaultValue: () => ({ type: "system", id: "countersign", scopes: [] })
})
