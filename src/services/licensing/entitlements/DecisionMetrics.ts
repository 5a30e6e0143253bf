import { Cause, Effect, Metric } from "effect"
import type { Refusals, RuntimeOperation } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"

const running = {
  PRODUCT_MISMATCH: true,
  LICENSE_INACTIVE: true,
  LICENSE_EXPIRED: true,
  DEVICE_BLACKLISTED: true,
  VM_NOT_ALLOWED: true,
  CONTAINER_NOT_ALLOWED: true,
  USER_SIGN_IN_REQUIRED: true
} as const

/** The codes with which each operation may be refused. Their number is the bound of the label. */
const codes: { readonly [Operation in RuntimeOperation]: Readonly<Record<Refusals[Operation]["_tag"], true>> } = {
  activate: {
    ...running,
    SELF_SERVICE_NOT_ALLOWED: true,
    SELF_SERVICE_LIMIT_EXCEEDED: true,
    ACTIVATION_LIMIT_EXCEEDED: true,
    USER_DEVICE_LIMIT_EXCEEDED: true
  },
  validate: { ...running, DEVICE_NOT_ACTIVATED: true },
  check: { ...running, DEVICE_NOT_ACTIVATED: true },
  consume: { ...running, DEVICE_NOT_ACTIVATED: true, FEATURE_NOT_ENTITLED: true, FEATURE_QUOTA_EXCEEDED: true },
  refund: { ...running, DEVICE_NOT_ACTIVATED: true, REFUND_NOT_ALLOWED: true },
  deactivate: { PRODUCT_MISMATCH: true, LICENSE_INACTIVE: true, DEVICE_BLACKLISTED: true, DEVICE_NOT_ACTIVATED: true },
  offline: { ...running, DEVICE_NOT_ACTIVATED: true, OFFLINE_NOT_ALLOWED: true },
  checkout: { ...running, FLOATING_LIMIT_EXCEEDED: true, USER_DEVICE_LIMIT_EXCEEDED: true },
  heartbeat: { ...running, LEASE_NOT_FOUND: true, LEASE_EXPIRED: true },
  checkin: { LEASE_NOT_FOUND: true, LEASE_EXPIRED: true },
  sign_in: { LICENSE_INACTIVE: true, LICENSE_EXPIRED: true },
  devices: { LICENSE_INACTIVE: true, SELF_SERVICE_NOT_ALLOWED: true },
  release: {
    LICENSE_INACTIVE: true,
    DEVICE_BLACKLISTED: true,
    SELF_SERVICE_NOT_ALLOWED: true,
    SELF_SERVICE_LIMIT_EXCEEDED: true
  }
}

const granted = "granted"

const countersOf = (operation: RuntimeOperation) =>
  new Map(
    [granted, "LICENSE_KEY_INVALID", ...Object.keys(codes[operation])].map((code) => [
      code,
      fromStart(Metric.counter("countersign_decisions_total", {
        description: "Questions of apps that were decided, by operation and by `granted` or the code of the refusal.",
        incremental: true,
        attributes: { operation, code }
      }))
    ])
  )

const counters = new Map((Object.keys(codes) as Array<RuntimeOperation>).map((name) => [name, countersOf(name)]))

/**
 * Counts what an operation decides. What is no decision is not counted: a defect, a limit of the service, and an answer
 * for which `isNew` says that it was given before.
 */
export const decided = (operation: RuntimeOperation, isNew: (answer: unknown) => boolean = () => true) => {
  const own = counters.get(operation)!
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      Effect.onExitPrimitive(work, (exit) => {
        if (exit._tag === "Success") {
          if (isNew(exit.value)) own.get(granted)!.updateUnsafe(1, fiber.context)
          return undefined
        }
        const error = exit.cause.reasons.find(Cause.isFailReason)?.error as { readonly _tag?: string } | undefined
        own.get(error?._tag ?? "")?.updateUnsafe(1, fiber.context)
        return undefined
      })
    )
}
