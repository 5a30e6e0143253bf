import type { DeviceBindingKind } from "../licenses/Device.ts"
import type { RuntimeRequest } from "./RuntimeRequest.ts"

/** How a device is told from any other of the same license. */
export interface DeviceBinding {
  readonly kind: DeviceBindingKind
  /** Normalised: equal keys are the same device. */
  readonly key: string
}

/** The binding of a call that no device makes. No device has it, because no fingerprint is empty. */
export const nobody: DeviceBinding = { kind: "hardware", key: "" }

const containerMembers = ["cluster_id", "namespace", "pod_name", "container_id"] as const

const normal = (text: string): string => text.trim().normalize("NFC")

/**
 * The binding that a runtime request names. Hardware: the fingerprint, trimmed, in Unicode form NFC. Container: the
 * members that are given, in a fixed order, each as `name=value` with percent-encoded values, joined by `/`, so that
 * no two sets of members meet in one key.
 */
export const bindingOf = (request: RuntimeRequest): DeviceBinding => {
  if (request.is_container !== true) return { kind: "hardware", key: normal(request.fingerprint ?? "") }
  const parts = containerMembers.flatMap((member) => {
    const value = normal(request[member] ?? "")
    return value === "" ? [] : [`${member}=${encodeURIComponent(value)}`]
  })
  return { kind: "container", key: parts.join("/") }
}
