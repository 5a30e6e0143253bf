/** The ends of belongings of an owner: another owner, the owner's erasure, another address of the owner, or another key of the license. */
export type OwnersEnd = "other_owner" | "erasure" | "other_address" | "other_key"

/** Something about a license that belongs to its owner, and not to the license. */
export interface Belonging {
  /** The tables that hold it. */
  readonly tables: ReadonlyArray<string>
  /** Why the next owner does not have it. */
  readonly why: string
  readonly endsBy: ReadonlyArray<OwnersEnd>
}

/**
 * The list of what belongs to the owner of a license and ends with the owner, and of what ends each: a test walks every end
 * (`test/services/licensing/lifecycle/EndOfOwner.test.ts`). What is not here goes on with the license: its key, unless somebody replaces it, devices with
 * their seats, unless they are freed, usage, and the values of custom fields, which are the vendor's.
 */
export const belongings = {
  contact: {
    tables: ["licenses"],
    why: "Mails with the key go to this address.",
    endsBy: ["other_owner", "erasure"]
  },
  users: {
    tables: ["license_users", "license_user_devices", "leases"],
    why: "The users are people of the owner, with their seats and leases.",
    endsBy: ["other_owner", "erasure"]
  },
  trusted_issuer: {
    tables: ["licenses"],
    why: "An account at the identity provider may take a seat.",
    endsBy: ["other_owner", "erasure"]
  },
  offer: {
    tables: ["license_transfer_requests"],
    why: "A link of the former owner gives the license to a third person.",
    endsBy: ["other_owner", "erasure", "other_address", "other_key"]
  },
  key_session: {
    tables: ["portal_sessions"],
    why: "A session by the key shows the portal of the license to the former owner.",
    endsBy: ["other_owner", "erasure", "other_key"]
  },
  offline_files: {
    tables: ["offline_files"],
    why: "A machine of the owner runs by a file without a check.",
    endsBy: ["other_owner"]
  },
  machine_names: {
    tables: ["devices"],
    why: "Names and addresses of machines are those of the owner.",
    endsBy: ["other_owner", "erasure"]
  }
} as const satisfies Readonly<Record<string, Belonging>>

/** The names of what an end ends: whoever carries that end out has a word for each. */
export type EndedBy<End extends OwnersEnd> = {
  readonly [Name in keyof typeof belongings]: End extends (typeof belongings)[Name]["endsBy"][number] ? Name : never
}[keyof typeof belongings]
