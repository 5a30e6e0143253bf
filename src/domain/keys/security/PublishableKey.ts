import { Schema } from "effect"
import { PlainName } from "../../ground/wire/Action.ts"
import { CreatedAt, field, ShownName, text, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"

const id = (description: string) => Schema.String.annotate({ description })

/** A credential that stands in an app, where anybody can read it: it opens trials of one product and nothing else. */
export const PublishableKey = Schema.Struct({
  id: Id.text("pub"),
  product_id: Id.text("prod"),
  policy_id: id("The policy that trials are opened under."),
  name: ShownName,
  key: Schema.String.annotate({
    description: "The key that the app sends. It is not a secret and is always shown.",
    examples: ["cpk_7Zb2mYpW7sVd1Kc8RzLh6N0gE3uX"]
  }),
  revoked_at: Schema.optionalKey(Timestamp.annotate({
    description: "When it was revoked; absent while it works.",
    examples: ["2027-11-21T10:30:00.000Z"]
  })),
  created_at: CreatedAt
}).annotate({
  identifier: "PublishableKey",
  description: "A key that is part of an app and only opens trials. It is not a secret.",
  examples: [{
    id: "pub_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "desktop app",
    key: "cpk_7Zb2mYpW7sVd1Kc8RzLh6N0gE3uX",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type PublishableKey = typeof PublishableKey.Type

export const PublishableKeyCreate = Schema.Struct({
  name: PlainName,
  policy_id: field(text(1, 64), "A policy of the product, of `license_type` `trial` and with a `duration`.")
}).annotate({
  identifier: "PublishableKeyCreateRequest",
  description: "A publishable key to create.",
  examples: [{ name: "desktop app", policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c" }]
})
export type PublishableKeyCreate = typeof PublishableKeyCreate.Type

/** The requirements of a policy under which trials can be opened. */
interface TrialPolicy {
  readonly license_type: string
  readonly duration?: string | null | undefined
  readonly max_activations: number
  readonly max_users?: number | null | undefined
}

/** A member of a policy that keeps trials from being opened under it, and what it must be. */
export interface AgainstTrials {
  readonly member: keyof TrialPolicy
  readonly needs: string
}

/** The reasons why trials cannot be opened under a policy. */
export const againstTrials = (
  { duration, license_type, max_activations, max_users }: TrialPolicy
): ReadonlyArray<AgainstTrials> => [
  ...(license_type === "trial"
    ? []
    : [{ member: "license_type" as const, needs: "must have license_type trial" }]),
  ...(duration === undefined || duration === null
    ? [{ member: "duration" as const, needs: "must have a duration, such as P14D, so that its trials end" }]
    : []),
  ...(max_activations === 0
    ? [{
      member: "max_activations" as const,
      needs: "must have max_activations of 1 or more, so that devices get a seat"
    }]
    : []),
  ...(max_users === undefined || max_users === null
    ? []
    : [{ member: "max_users" as const, needs: "must have no max_users: a trial is opened without a sign-in" }])
]
