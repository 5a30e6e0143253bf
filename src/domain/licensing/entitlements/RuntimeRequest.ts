import { Schema } from "effect"
import { Dimensions } from "../../catalog/Dimensions.ts"
import { appVersion, appVersionText } from "../../catalog/ProductVersion.ts"
import { bigCount, echoed, field, optional, text } from "../../ground/wire/Fields.ts"
import { Components } from "../licenses/Components.ts"
import { userTokenLength } from "../users/UserToken.ts"

/** Who asks: the members that name a device, the app's version, and what binds the answer to this question. */
const binding = {
  fingerprint: optional(
    text(1, 255),
    "Identifies this machine; your app computes it. Surrounding spaces are ignored. Required unless " +
      "`is_container` is true."
  ),
  hostname: optional(text(0, 255), "The name of the machine."),
  os: optional(text(0, 128), "The operating system."),
  components: Schema.optionalKey(Components),
  is_vm: optional(
    Schema.Boolean,
    "Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`."
  ),
  is_container: optional(
    Schema.Boolean,
    "Whether the app runs in a container. A container is identified by `cluster_id`, `namespace`, " +
      "`pod_name` and `container_id`; at least one is required."
  ),
  container_id: optional(text(0, 255), "The ID of the container in its runtime."),
  cluster_id: optional(text(0, 255), "The cluster that the container runs in."),
  namespace: optional(text(0, 255), "The namespace that the container runs in."),
  pod_name: optional(text(0, 255), "The pod that the container belongs to."),
  app_version: optional(appVersion, appVersionText),
  product_code: optional(
    text(1, 128),
    "The code, or a former code, of the product that the app belongs to. A license of another product is " +
      "refused. The response names the product by this code."
  ),
  user_token: optional(
    text(1, userTokenLength),
    "The `user_token` of the person who is signed in. Required if the license has users (`max_users`); without them it has no effect."
  ),
  nonce: optional(
    echoed(8, 128),
    "8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot " +
      "be replayed to you. Alternative: the header x-nonce."
  )
}

/** Identifies a process among the others of its device. */
export const ProcessId = text(1, 128).annotate({
  description: "Identifies this process among those of the device, for example a random ID that it generates at " +
    "startup. If the terms count processes (`lease_unit`), the seat belongs to the process with this name; " +
    "otherwise it has no effect."
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
        issue: "also needs at least one of cluster_id, namespace, pod_name and container_id"
      }
  }
  return request.fingerprint !== undefined && request.fingerprint.trim() !== ""
    ? undefined
    : { path: ["fingerprint"], issue: "is required unless is_container is true" }
})

// Examples stand before the check: what is annotated after it describes the check, and reaches no document.
export const RuntimeRequest = Schema.Struct(binding).annotate({
  description: "The device that asks. `fingerprint` identifies a machine. With `is_container: true`, at least one of " +
    "`cluster_id`, `namespace`, `pod_name` and `container_id` identifies a container.",
  examples: [{ fingerprint: "b8e1c6f2d4", hostname: "studio-07", os: "linux", nonce: "n-7f3a9c21d0" }]
}).check(namesDevice).annotate({ identifier: "RuntimeBindingRequest" })
export type RuntimeRequest = typeof RuntimeRequest.Type

/** An activation: the binding, and whose seat it may take when none is free. */
export const ActivateRequest = Schema.Struct({
  ...binding,
  take_seat_of: field(
    Schema.optionalKey(text(1, 128)),
    "The ID of another device of the license, whose seat this device takes when none is free, or when the user has as many devices " +
      "as `max_devices_per_user` and this is one of them. Needs " +
      "`self_service` in the terms, and counts against `max_self_service_resets` if the seat was needed."
  )
}).annotate({
  description: "The device that asks for a seat, and which seat it may take over if none is free.",
  examples: [{ fingerprint: "b8e1c6f2d4", hostname: "studio-07", os: "linux", nonce: "n-7f3a9c21d0" }]
}).check(namesDevice).annotate({ identifier: "ActivateLicenseRequest" })
export type ActivateRequest = typeof ActivateRequest.Type

/** A checkout: the binding, and which of the processes on the device the seat is for. */
export const CheckoutRequest = Schema.Struct({ ...binding, process_id: Schema.optionalKey(ProcessId) }).annotate({
  description: "The device that asks for a floating seat, and optionally its process.",
  examples: [{ fingerprint: "b8e1c6f2d4", process_id: "p-4c1fd02a9b", nonce: "n-7f3a9c21d0" }]
}).check(namesDevice).annotate({ identifier: "FloatingCheckoutRequest" })
export type CheckoutRequest = typeof CheckoutRequest.Type

/** A metered use: the binding, what is used, and an id of the caller's that makes it count once for ever. */
export const ConsumeRequest = Schema.Struct({
  ...binding,
  feature_code: field(text(1, 128), "The code of the feature to consume."),
  amount: optional(
    bigCount(0),
    "Amount to consume. Default: 1. If less is left, the request is refused and consumes nothing. 0 is for a feature whose `meter` is " +
      "`max` or `last` alone."
  ),
  event_id: field(
    text(1, 128),
    "Your ID of this usage event. It counts once per license and feature, without a time limit, so you can " +
      "safely retry."
  ),
  dimensions: Schema.optionalKey(Dimensions)
}).annotate({
  description: "Usage of a metered feature by a device.",
  examples: [{ fingerprint: "b8e1c6f2d4", feature_code: "export-pdf", amount: 1, event_id: "export-2026-11-21-0001" }]
}).check(namesDevice).annotate({ identifier: "ConsumeLicenseRequest" })
export type ConsumeRequest = typeof ConsumeRequest.Type

/** A use that the app gives back, whole or in part: the binding, and what the use was counted under. */
export const OwnRefundRequest = Schema.Struct({
  ...binding,
  feature_code: field(text(1, 128), "The code of the feature that was consumed."),
  event_id: field(text(1, 128), "Your ID of the usage event to refund."),
  amount: optional(bigCount(1), "How much to refund. Default: all that is not refunded yet.")
}).annotate({
  description: "A usage event of this device to refund, whole or in part.",
  examples: [{ fingerprint: "b8e1c6f2d4", feature_code: "export-pdf", event_id: "export-2026-11-21-0001" }]
}).check(namesDevice).annotate({ identifier: "RefundOwnUsageRequest" })
export type OwnRefundRequest = typeof OwnRefundRequest.Type
