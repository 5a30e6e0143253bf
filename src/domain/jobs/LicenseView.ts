import { Schema } from "effect"
import { CreatedAt, field, label, optional, UpdatedAt } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { LicenseOrder } from "../licensing/licenses/LicenseSearch.ts"
import { Author } from "../people/notes/Author.ts"
import { JobFilter, ShownFilter } from "./LicenseJob.ts"

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
