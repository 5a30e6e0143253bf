import { Schema, Struct } from "effect"
import { runningLicenseFilters } from "../catalog/ProductVersion.ts"
import { rehearsable, Tag } from "../ground/wire/Action.ts"
import {
  count,
  CreatedAt,
  field,
  inThousands,
  label,
  optional,
  text,
  Timestamp,
  TimestampInput,
  UpdatedAt
} from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import type { ReasonedAction } from "../keys/settings/ServiceSettings.ts"
import { LicenseOrder, LicenseStatus, Tags } from "../licensing/licenses/License.ts"
import { LicenseRenew } from "../licensing/lifecycle/LicenseRenewal.ts"
import { PolicyChange } from "../licensing/lifecycle/PolicyChange.ts"
import { Author } from "../people/notes/Note.ts"

/** What a job does with each license. */
export const JobAction = Schema.Literals(["suspend", "reinstate", "renew", "change_policy", "tag", "untag", "revoke"])
  .annotate({
    identifier: "LicenseJobAction",
    description: "The action on each license, which is that of the operation on a single license."
  })
export type JobAction = typeof JobAction.Type

/** The action on each license of a job, where it can require a reason. */
export const jobReasons: Readonly<Record<JobAction, ReasonedAction | undefined>> = {
  suspend: "license.suspended",
  reinstate: "license.reinstated",
  revoke: "license.revoked",
  renew: "license.renewed",
  change_policy: "license.policy_changed",
  tag: undefined,
  untag: undefined
}

/** The operation on a single license that each action is: its scopes, its decision and its events are those of the job's rows. */
export const singleOperations: Readonly<Record<JobAction, string>> = {
  suspend: "suspendLicense",
  reinstate: "reinstateLicense",
  renew: "renewLicense",
  change_policy: "changeLicensePolicy",
  tag: "updateLicense",
  untag: "updateLicense",
  revoke: "revokeLicense"
}

/** The most licenses that are named one by one, and the most of one job. */
export const selectionLimit = { ids: 5000, all: 50_000 } as const

/** Filters of the list of licenses, as a job takes them. */
const JobFilter = Schema.Struct({
  product_id: optional(text(1, 64), "Only licenses of this product."),
  policy_id: optional(text(1, 64), "Only licenses under this policy."),
  customer_id: optional(text(1, 64), "Only licenses of this customer."),
  order_id: optional(text(1, 64), "Only licenses that come from this order."),
  subscription_id: optional(text(1, 64), "Only licenses that this subscription pays for."),
  purchase_id: optional(text(1, 64), "Only licenses of this purchase."),
  status: optional(LicenseStatus, "Only licenses with this status."),
  expires_before: optional(TimestampInput, "Only licenses that expire before this time."),
  expires_after: optional(TimestampInput, "Only licenses that expire after this time."),
  customer_email: optional(text(1, 320), "Only licenses with this email address, or of a customer with it."),
  key_last4: optional(text(1, 4), "Only licenses whose key ends with these four characters."),
  device_fingerprint: optional(text(1, 512), "Only licenses that were used on the device with this fingerprint."),
  tag: optional(Tag, "Only licenses with this tag."),
  ...runningLicenseFilters,
  q: optional(text(1, 320), "A text, as `q` of the list takes it.")
}).annotate({
  identifier: "LicenseJobFilter",
  description: "Filters of the list of licenses. Without any, all licenses match.",
  examples: [{ status: "active", tag: "vip" }]
})

const Selection = Schema.Struct({
  ids: optional(
    Schema.Array(text(1, 64)).check(Schema.isBetweenLength(1, selectionLimit.ids), Schema.isUnique()),
    `The IDs of the licenses, at most ${inThousands(selectionLimit.ids)}. Send either this or \`filter\`.`
  ),
  filter: optional(JobFilter, "The licenses that match now. The service resolves it when the job is asked for.")
}).annotate({
  identifier: "LicenseJobSelection",
  description: "The licenses of a job: `ids`, or all that match a `filter` now.",
  examples: [{ filter: { status: "active", tag: "vip" } }]
}).check(
  Schema.makeFilter(({ filter, ids }: { readonly ids?: unknown; readonly filter?: unknown }) =>
    (ids === undefined) === (filter === undefined)
      ? { path: ["ids"], issue: "is needed, or filter instead, but not both" }
      : undefined
  )
)
export type JobSelection = typeof Selection.Type

const Renewal = Schema.Struct(Struct.pick(LicenseRenew.fields, ["expires_at", "extend_by_days", "renew_from"]))
  .annotate({
    identifier: "LicenseJobRenewal",
    description: "How far to extend each license, as for a single license.",
    examples: [{ extend_by_days: 365 }]
  })

const Move = Schema.Struct(
  Struct.pick(PolicyChange.fields, ["policy_id", "devices", "counters", "expiry", "overrides"])
)
  .annotate({
    identifier: "LicenseJobPolicyChange",
    description: "The new policy of each license, and how to treat its devices and features.",
    examples: [{ policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c" }]
  })

const parameters = {
  renew: optional(Renewal, "For `renew`: how far. Without it, each license gets a further term of its duration."),
  change_policy: optional(Move, "For `change_policy`: the policy, and how to treat devices and features."),
  tags: optional(Tags, "For `tag` and `untag`: the tags.")
}

/** What an action takes beside its licenses. */
export const JobParameters = Schema.Struct(parameters)
export type JobParameters = typeof JobParameters.Type

const shownInstant = (text: string) => optional(Timestamp, text)

/** {@link JobFilter} as it was sent, with its instants as the service writes them. */
const ShownFilter = Schema.Struct({
  ...JobFilter.fields,
  tag: optional(Schema.String, "Only licenses with this tag."),
  expires_before: shownInstant("Only licenses that expire before this time."),
  expires_after: shownInstant("Only licenses that expire after this time.")
}).annotate({ identifier: "JobFilter", description: "Filters of the list of licenses." })

/** The licenses of a job as it shows them. */
export const ShownSelection = Schema.Struct({
  ids: optional(Schema.Array(Schema.String), "The IDs of the licenses, if the job was asked for by ID."),
  filter: optional(ShownFilter, "The filters that the licenses matched when the job was asked for.")
}).annotate({ identifier: "JobSelection", description: "The licenses of a job." })

/** {@link JobParameters} as a job shows them. */
export const ShownParameters = Schema.Struct({
  renew: optional(
    Schema.Struct({
      ...Renewal.fields,
      expires_at: shownInstant("The new end of each license.")
    }).annotate({ identifier: "JobRenewal", description: "How far to extend each license." }),
    "For `renew`: how far."
  ),
  change_policy: optional(
    Schema.Struct(Move.fields).annotate({
      identifier: "JobPolicyChange",
      description: "The new policy of each license."
    }),
    "For `change_policy`: the policy, and how to treat devices and features."
  ),
  tags: optional(Schema.Array(Schema.String), "For `tag` and `untag`: the tags.")
}).annotate({ identifier: "JobParameters", description: "The parameters of a job, as they were sent." })

type Asked = {
  readonly action: JobAction
  readonly renew?: unknown
  readonly change_policy?: unknown
  readonly tags?: unknown
}

/** The member that an action needs, if any, and the only one that it takes. */
const memberOf = (action: JobAction): keyof JobParameters | undefined =>
  action === "tag" || action === "untag"
    ? "tags"
    : action === "renew" || action === "change_policy"
    ? action
    : undefined

export const LicenseJobCreate = Schema.Struct({
  action: JobAction,
  selection: Selection,
  ...parameters,
  expected_total: optional(
    count(0),
    "The number of licenses that a dry run found. If the selection has another number now, it is STATE_CONFLICT."
  ),
  ...rehearsable
}).annotate({
  description: "An action, and the licenses that it is for.",
  examples: [{ action: "suspend", selection: { filter: { tag: "chargeback" } }, reason: "Chargebacks of May" }]
}).check(Schema.makeFilter((asked: Asked) => {
  const member = memberOf(asked.action)
  const other = (["renew", "change_policy", "tags"] as const).find((name) =>
    name !== member && asked[name] !== undefined
  )
  if (other !== undefined) return { path: [other], issue: `is not for the action ${asked.action}` }
  return member !== undefined && member !== "renew" && asked[member] === undefined
    ? { path: [member], issue: `is required for the action ${asked.action}` }
    : undefined
})).annotate({ identifier: "LicenseJobRequest" })
export type LicenseJobCreate = typeof LicenseJobCreate.Type

/** The most views of one author, and the most columns of a view. */
export const viewLimit = { own: 50, columns: 20 } as const

const ViewName = label(60).annotate({
  description: "The name of the view, up to 60 characters; at least one of them is visible.",
  examples: ["VIP"]
})

const Column = Schema.String.check(
  Schema.isPattern(/^[a-z_]{1,40}$/u, { expected: "1 to 40 of the characters a-z and _" })
)

/** The members of a view beside its filter. */
const shown = {
  expires_within_days: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3650 })),
    "Only licenses that expire within so many days from when the view is opened; with it, the filter has no time of expiry.",
    30
  ),
  order: optional(LicenseOrder, "The order, as the list takes it. Default: newest first.", "expires_asc"),
  columns: optional(
    Schema.Array(Column).check(Schema.isBetweenLength(1, viewLimit.columns), Schema.isUnique()),
    `The columns, by the names that the caller has for them, at most ${viewLimit.columns}. Default: those of the caller.`,
    ["owner", "status", "expires"]
  )
}

/** A saved view of the list of licenses. */
export const LicenseView = Schema.Struct({
  id: Id.text("view"),
  name: ViewName,
  filter: field(ShownFilter, "The filters of the list."),
  ...shown,
  is_shared: field(Schema.Boolean, "Whether all callers see the view, or only its author."),
  is_own: field(Schema.Boolean, "Whether the caller saved the view, and may change it."),
  is_left: optional(
    Schema.Literal(true),
    "The author was removed, revoked, or has expired: callers with `license:write` may change or delete the view.",
    true
  ),
  author: field(Author, "The author of the view."),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "LicenseView",
  description: "A named filter, order and choice of columns of the list of licenses.",
  examples: [{
    id: "view_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "VIP",
    filter: { status: "active", tag: "vip" },
    order: "expires_asc",
    is_shared: true,
    is_own: false,
    author: { type: "person", id: "per_06eqpx1trxz3h94vqjm3a6kz7c", name: "Jun Sato", roles: ["Support"] },
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type LicenseView = typeof LicenseView.Type

/** A view to save, or what takes the place of another. */
export const LicenseViewInput = Schema.Struct({
  name: ViewName,
  filter: optional(JobFilter, "The filters of the list. Default: none, so that all licenses match."),
  ...shown,
  is_shared: optional(
    Schema.Boolean,
    "Whether all callers see the view, which also needs `license:write`. Default: `false`."
  )
}).annotate({
  description: "A view of the list of licenses.",
  examples: [{ name: "VIP", filter: { status: "active", tag: "vip" }, order: "expires_asc", is_shared: true }]
}).check(
  Schema.makeFilter(({ expires_within_days, filter }: {
    readonly expires_within_days?: number
    readonly filter?: { readonly expires_before?: string; readonly expires_after?: string }
  }) =>
    expires_within_days === undefined ||
      (filter?.expires_before === undefined && filter?.expires_after === undefined)
      ? undefined
      : { path: ["expires_within_days"], issue: "must not be combined with a time of expiry in the filter" }
  )
).annotate({ identifier: "LicenseViewRequest" })
export type LicenseViewInput = typeof LicenseViewInput.Type
