import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { signedInUntil, userSignIn } from "../../../../src/domain/licensing/users/UserSignIn.ts"
import type { Account, SignInInput, UserCandidate } from "../../../../src/domain/licensing/users/UserSignIn.ts"

const account = (more: Partial<Account> = {}): Account => ({
  issuer: "https://login.example.com",
  subject: "ada",
  email: "ada@example.com",
  isVerified: true,
  name: undefined,
  ...more
})

const candidate = (
  id: string,
  status: UserCandidate["status"],
  is_account: boolean,
  removed_because: UserCandidate["removed_because"] = status === "removed" ? "removed" : null
): UserCandidate => ({ id, status, removed_because, is_account })

/** What a sign-in comes to: the kind and the user, or the code and the detail of the refusal. */
const outcome = (candidates: ReadonlyArray<UserCandidate>, more: Partial<SignInInput> = {}): string => {
  const given = { account: account(), admits: "invited", candidates, seats: { taken: 0, limit: 1 }, ...more } as const
  const result = userSignIn(given)
  if (Result.isFailure(result)) return `${result.failure._tag} ${result.failure.error.detail}`
  return result.success.kind === "new" ? "new" : `${result.success.kind} ${result.success.id}`
}

const full = { seats: { taken: 2, limit: 2 } }
const beyond = { seats: { taken: 3, limit: 2 } }
const unverified = { account: account({ isVerified: false }) }

const seat = candidate("usr_seat", "active", true)
const invitation = candidate("usr_invited", "invited", true)
const addressed = candidate("usr_address", "invited", false)
const mailbox = candidate("usr_mailbox", "active", false)
const gone = candidate("usr_gone", "removed", true)
const reduced = candidate("usr_reduced", "removed", true, "reduced")
const transferred = candidate("usr_before", "removed", true, "transferred")

/** Candidates, the newest first, what else is given, and what the sign-in comes to. */
const cases: ReadonlyArray<readonly [string, ReadonlyArray<UserCandidate>, Partial<SignInInput>, string]> = [
  ["who has a seat keeps it", [seat], {}, "seated usr_seat"],
  ["also where all are taken", [seat], full, "seated usr_seat"],
  ["also beside an invitation of the account", [invitation, seat], {}, "seated usr_seat"],
  ["an invitation of the account takes a seat", [invitation], {}, "joins usr_invited"],
  ["of which one is free below the limit", [invitation], { seats: { taken: 1, limit: 2 } }, "joins usr_invited"],
  ["and none at the limit", [invitation], full, "USER_LIMIT_EXCEEDED 2 of 2 in use"],
  ["and none beyond it", [invitation], beyond, "USER_LIMIT_EXCEEDED 3 of 2 in use"],
  ["an invitation of the account comes before that of the address", [addressed, invitation], {}, "joins usr_invited"],
  ["an invitation of the address takes a seat", [addressed], {}, "joins usr_address"],
  [
    "of two of the account the newer one",
    [invitation, candidate("usr_older", "invited", true)],
    {},
    "joins usr_invited"
  ],
  [
    "of two of the address the newer one",
    [addressed, candidate("usr_older", "invited", false)],
    {},
    "joins usr_address"
  ],
  ["which an address that is not verified does not", [addressed], unverified, "USER_NOT_ALLOWED email_not_verified"],
  ["and its own does not need to be", [invitation], unverified, "joins usr_invited"],
  ["a mailbox becomes the account, in its seat", [mailbox], full, "bound usr_mailbox"],
  ["by a verified address alone", [mailbox], unverified, "USER_NOT_ALLOWED email_not_verified"],
  ["an invitation of the address comes before the mailbox", [mailbox, addressed], {}, "joins usr_address"],
  ["who was removed stays out", [gone], {}, "USER_NOT_ALLOWED removed"],
  ["also where anybody may come", [gone], { admits: "anyone" }, "USER_NOT_ALLOWED removed"],
  ["until invited anew", [addressed, gone], {}, "joins usr_address"],
  ["whose seat was taken by a smaller policy comes back", [reduced], {}, "new"],
  ["when one is free", [reduced], full, "USER_LIMIT_EXCEEDED 2 of 2 in use"],
  ["unless removed since", [gone, reduced], {}, "USER_NOT_ALLOWED removed"],
  ["and whoever lost it after a removal as well", [reduced, gone], {}, "new"],
  ["a user of the owner before is a stranger", [transferred], {}, "USER_NOT_ALLOWED not_invited"],
  ["a stranger stays out", [], {}, "USER_NOT_ALLOWED not_invited"],
  ["whose address is not verified is told so", [], unverified, "USER_NOT_ALLOWED email_not_verified"],
  [
    "who has none is not invited",
    [],
    { account: account({ email: undefined, isVerified: false }) },
    "USER_NOT_ALLOWED not_invited"
  ],
  ["a stranger comes in where anybody may", [], { admits: "anyone" }, "new"],
  ["while a seat is free", [], { admits: "anyone", ...full }, "USER_LIMIT_EXCEEDED 2 of 2 in use"],
  ["also by an address that is not verified", [], { admits: "anyone", ...unverified }, "new"]
]

describe("a sign-in of a user", () => {
  it.each(cases)("%s", (_, candidates, more, expected) => {
    assert.strictEqual(outcome(candidates, more), expected)
  })

  it("lasts for the interval of validations, in whole seconds, and a day at most", () => {
    const now = new Date("2026-01-31T10:00:00.900Z")
    assert.strictEqual(signedInUntil(now, 60).toISOString(), "2026-01-31T11:00:00.000Z")
    assert.strictEqual(signedInUntil(now, 24 * 60).toISOString(), "2026-02-01T10:00:00.000Z")
    assert.strictEqual(signedInUntil(now, 24 * 60 + 1).toISOString(), "2026-02-01T10:00:00.000Z")
  })
})
