import { otherDevices } from "../../../domain/evidence/recording/DecidedCalls.ts"
import type { LeaseSnapshot } from "../entitlements/EntitlementStateSql.ts"
import type { DecidedCall } from "../sightings/DecidedCalls.ts"

/** A call about a lease, as it is recorded: the lease says which device it is of, and a token that no lease has says nothing. */
export const leaseCall = (
  operation: "checkin" | "heartbeat",
  { binding_kind, device_id, is_vm, lease_id }: LeaseSnapshot
): Pick<DecidedCall, "deviceId" | "operation" | "request"> =>
  lease_id === null
    ? { operation, deviceId: otherDevices, request: {} }
    : {
      operation,
      deviceId: device_id ?? otherDevices,
      request: { is_vm, is_container: binding_kind === "container" }
    }
