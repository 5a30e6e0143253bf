import { Schema } from "effect"
import { Components } from "../licenses/Components.ts"
import { bigCount, echoed, text } from "../wire/Fields.ts"

/** Who asks: the members that name a device, the app's version, and what binds the answer to this question. */
const binding = {
  fingerprint: Schema.optionalKey(text(1, 255)),
  hostname: Schema.optionalKey(text(0, 255)),
  os: Schema.optionalKey(text(0, 128)),
  components: Schema.optionalKey(Components),
  is_vm: Schema.optionalKey(Schema.Boolean),
  is_container: Schema.optionalKey(Schema.Boolean),
  container_id: Schema.optionalKey(text(0, 255)),
  cluster_id: Schema.optionalKey(text(0, 255)),
  namespace: Schema.optionalKey(text(0, 255)),
  pod_name: Schema.optionalKey(text(0, 255)),
  app_version: Schema.optionalKey(echoed(1, 64)),
  product_code: Schema.optionalKey(text(1, 128)),
  nonce: Schema.optionalKey(echoed(8, 128))
}

/** Identifies a process among the others of its device. */
export const ProcessId = text(1, 128).annotate({
  description:
    "What this process is called among those of the device, such as a random id that it made at its start. Where " +
    "the terms give each process a seat (`lease_unit`), the seat is of the process with this name; otherwise it changes nothing."
})

const namesDevice = Schema.makeFilter((request: {
  readonly fingerprint?: string
  readonly is_container?: boolean
  readonly cluster_id?: string
  readonly namespace?: string
  readonly pod_name?: string
  readonly container_id?: string
}) => {
  if (request.is_container === true) {
    // Blank members make no binding, so a container that has no others would be the same as any such.
    const named = [request.cluster_id, request.namespace, request.pod_name, request.container_id]
    return named.some((member) => member !== undefined && member.trim() !== "")
      ? undefined
      : {
        path: ["is_container"],
        issue: "needs at least one of cluster_id, namespace, pod_name and container_id beside it"
      }
  }
  return request.fingerprint !== undefined && request.fingerprint.trim() !== ""
    ? undefined
    : { path: ["fingerprint"], issue: "is required unless is_container is true" }
})

// Examples stand before the check: what is annotated after it describes the check, and reaches no document.
export const RuntimeRequest = Schema.Struct(binding).annotate({
  examples: [{ fingerprint: "b8e1c6f2d4", hostname: "studio-07", os: "linux", nonce: "n-7f3a9c21d0" }]
}).check(namesDevice).annotate({ identifier: "RuntimeBindingRequest" })
export type RuntimeRequest = typeof RuntimeRequest.Type

/** An activation: the binding, and whose seat it may take when none is free. */
export const ActivateRequest = Schema.Struct({
  ...binding,
  take_seat_of: Schema.optionalKey(text(1, 128)).annotate({
    description: "The id of another device of the license, whose seat this device takes when none is free. Needs " +
      "`self_service` in the terms, and counts against `max_self_service_resets` if the seat was needed."
  })
}).annotate({
  examples: [{ fingerprint: "b8e1c6f2d4", hostname: "studio-07", os: "linux", nonce: "n-7f3a9c21d0" }]
}).check(namesDevice).annotate({ identifier: "ActivateLicenseRequest" })
export type ActivateRequest = typeof ActivateRequest.Type

/** A checkout: the binding, and which of the processes on the device the seat is for. */
export const CheckoutRequest = Schema.Struct({ ...binding, process_id: Schema.optionalKey(ProcessId) }).annotate({
  examples: [{ fingerprint: "b8e1c6f2d4", process_id: "p-4c1fd02a9b", nonce: "n-7f3a9c21d0" }]
}).check(namesDevice).annotate({ identifier: "FloatingCheckoutRequest" })
export type CheckoutRequest = typeof CheckoutRequest.Type

/** A metered use: the binding, what is used, and an id of the caller's that makes it count once for ever. */
export const ConsumeRequest = Schema.Struct({
  ...binding,
  feature_code: text(1, 128),
  amount: Schema.optionalKey(bigCount(1)),
  event_id: text(1, 128)
}).annotate({
  examples: [{ fingerprint: "b8e1c6f2d4", feature_code: "export-pdf", amount: 1, event_id: "export-2026-11-21-0001" }]
}).check(namesDevice).annotate({ identifier: "ConsumeLicenseRequest" })
export type ConsumeRequest = typeof ConsumeRequest.Type
