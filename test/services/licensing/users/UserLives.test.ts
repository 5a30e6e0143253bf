// Random lives of the users of a license, each judged by a model in plain code.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import type { Account } from "../../../../src/domain/licensing/users/UserSignIn.ts"
import { FormerCodes } from "../../../../src/services/catalog/FormerCodes.ts"
import { Policies } from "../../../../src/services/catalog/Policies.ts"
import { Products } from "../../../../src/services/catalog/Products.ts"
import { Customers } from "../../../../src/services/customers/Customers.ts"
import { Subscriptions } from "../../../../src/services/customers/Subscriptions.ts"
import { KnownCredentials } from "../../../../src/services/ground/admission/KnownCredentials.ts"
import { RateLimits } from "../../../../src/services/ground/admission/RateLimits.ts"
import { Database, inTransaction } from "../../../../src/services/ground/persistence/Database.ts"
import { Signing } from "../../../../src/services/keys/security/Signing.ts"
import { EntitlementState } from "../../../../src/services/licensing/entitlements/EntitlementState.ts"
import { Devices } from "../../../../src/services/licensing/licenses/Devices.ts"
import { LeaseClosing } from "../../../../src/services/licensing/licenses/LeaseClosing.ts"
import { LicenseFeatures } from "../../../../src/services/licensing/licenses/LicenseFeatures.ts"
import { Licenses } from "../../../../src/services/licensing/licenses/Licenses.ts"
import { LicenseUsers } from "../../../../src/services/licensing/licenses/LicenseUsers.ts"
import { SubscriptionFollowing } from "../../../../src/services/licensing/licenses/SubscriptionFollowing.ts"
import { LicenseTransfers } from "../../../../src/services/licensing/lifecycle/LicenseTransfers.ts"
import { LicenseUpdates } from "../../../../src/services/licensing/lifecycle/LicenseUpdates.ts"
import { PolicyChanges } from "../../../../src/services/licensing/lifecycle/PolicyChanges.ts"
import { insertUserDevices } from "../../../../src/services/licensing/standings/UserStandingSql.ts"
import { IdTokenRefused, IdTokens, IssuerKeys } from "../../../../src/services/licensing/users/IssuerKeys.ts"
import { UserMailSignIns } from "../../../../src/services/licensing/users/UserMailSignIns.ts"
import { UserSignIns } from "../../../../src/services/licensing/users/UserSignIns.ts"
import { MailQueue } from "../../../../src/services/mail/MailQueue.ts"
import { MailSuppressions } from "../../../../src/services/mail/MailSuppressions.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { chance } from "../../../fixtures/Seeded.ts"
import { layerTarget } from "../../../fixtures/Target.ts"
import { addressOf, UserModel } from "../../../fixtures/UserModel.ts"

const issuer = "https://login.example.com"
const otherIssuer = "https://login.other.example.com"
const audience = "studio"

/** An account whose address is verified or not, as an ID token of the test says it: nothing is signed. */
const tokenOf = (subject: string, isVerified: boolean, at = issuer): string => `${at} ${subject} ${isVerified}`

/** The person of a token or of a mailbox. */
const accountOf = (subject: string, isVerified: boolean, of?: string): Account => ({
  issuer: of,
  subject: of === undefined ? undefined : subject,
  email: addressOf(subject),
  isVerified,
  name: undefined
})

/** What proves who a person is: tests of its own judge tokens, keys and mails. */
const layerProofs = Layer.mergeAll(
  Layer.succeed(IdTokens, {
    verify: (token, expected) => {
      const [at, subject, isVerified] = token.split(" ") as [string, string, string]
      return at === expected.issuer && expected.audience === audience
        ? Effect.succeed(accountOf(subject, isVerified === "true", at))
        : Effect.fail(new IdTokenRefused({ fault: "issuer" }))
    }
  }),
  Layer.succeed(IssuerKeys, {
    keysOf: () => Effect.succeed({ keys: [] }),
    keysBeyond: (_, seen) => Effect.succeed(seen)
  }),
  Layer.succeed(UserMailSignIns, {
    begin: () => Effect.die("not asked for"),
    prove: (_, { token }) => Effect.succeed(accountOf(token, true)),
    look: () => Effect.die("not asked for"),
    confirm: () => Effect.die("not asked for")
  })
)

const layer = Layer.mergeAll(
  UserSignIns.layer.pipe(Layer.provide(layerProofs)),
  LicenseTransfers.layer,
  Layer.mergeAll(LicenseUpdates.layer, PolicyChanges.layer).pipe(Layer.provide(LicenseFeatures.layer))
).pipe(
  Layer.provideMerge(LicenseUsers.layer),
  Layer.provideMerge(EntitlementState.layer),
  Layer.provideMerge(Layer.mergeAll(Customers.layer, Devices.layer, Policies.layer, SubscriptionFollowing.layer)),
  Layer.provideMerge(Subscriptions.layer),
  Layer.provideMerge(Layer.mergeAll(Licenses.layer, Products.layer)),
  Layer.provideMerge(
    Layer.mergeAll(Signing.layer, LeaseClosing.layer, FormerCodes.layer, MailQueue.layer, MailSuppressions.layer)
  ),
  Layer.provideMerge(Layer.provideMerge(KnownCredentials.layer, RateLimits.layer)),
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget)
)

const steps = 100
const people = ["ada", "bob", "cleo", "dan", "eve"]
const seatCounts = [1, 2, 4]

const { upTo } = chance("lives of users")
const below = (count: number) => Math.floor(upTo(count))
const pick = <A>(values: ReadonlyArray<A>): A => values[below(values.length)]!

let made = 0

/** A license with so many seats, whose key is that of its number, and a policy for each number of seats. */
const makeLicense = Effect.fnUntraced(function*(max_users: number) {
  const sql = yield* Database
  const rows = makeRows(sql)
  const product_id = yield* rows.product()
  const policies = new Map<number, string>()
  for (const seats of seatCounts) {
    const terms = { product_id, max_users: seats, max_activations: 99, max_transfers: 99 }
    policies.set(seats, (yield* rows.policy(terms)).id)
  }
  const owner = yield* customer
  const id = yield* rows.license({}, { product_id })
  yield* sql`UPDATE licenses SET policy_id = ${policies.get(max_users)!}, customer_id = ${owner} WHERE id = ${id}`
  const keyHash = new Uint8Array([77, ++made])
  yield* sql`INSERT INTO license_keys (key_hash, license_id) VALUES (${keyHash}, ${id})`
  return { id, keyHash, policies, rows }
})

const customer = Effect.gen(function*() {
  const sql = yield* Database
  const id = `cus_life_${++made}`
  yield* sql`INSERT INTO customers (id, name, code, metadata) VALUES (${id}, 'Ada', ${id}, '{}')`
  return id
})

const trust = Effect.fnUntraced(function*(id: string, admits: "anyone" | "invited" | undefined) {
  const sql = yield* Database
  const trusted = admits === undefined ? null : JSON.stringify({ issuer, audience, admits })
  yield* sql`UPDATE licenses SET trusted_issuer = ${trusted}::jsonb WHERE id = ${id}`
})

/** The code of a refusal with its detail, or the user who is signed in. */
const signedIn = (keyHash: Uint8Array, request: { readonly id_token?: string; readonly mail_sign_in_token?: string }) =>
  Effect.flatMap(UserSignIns, (signIns) => Effect.result(signIns.signIn({ keyHash }, request))).pipe(
    Effect.map((result) => {
      if (Result.isSuccess(result)) return String(JSON.parse(result.success.data).user_id)
      const { _tag, error } = result.failure
      return `${_tag} ${error.detail}`
    })
  )

describe("lives of the users of a license", () => {
  it.layer(layer, { excludeTestServices: true })((it) => {
    it.effect("go as the documents say, whoever is invited, signs in, is removed, loses a seat or changes machines", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const users = yield* LicenseUsers
        const changes = yield* PolicyChanges
        const transfers = yield* LicenseTransfers
        const model = new UserModel(2)
        const { id, keyHash, policies, rows } = yield* makeLicense(2)
        const told: Array<string> = []
        const expect = (actual: unknown, expected: unknown, what: string) =>
          assert.deepStrictEqual(actual, expected, `${what}\n${told.slice(-30).join("\n")}`)
        let admits: "anyone" | "invited" | undefined

        const invite = Effect.fnUntraced(function*(person: string) {
          const body = below(5) < 3 ? { email: addressOf(person) } : { issuer, subject: person }
          told.push(`${JSON.stringify(body)} is invited`)
          const answer = yield* Effect.result(users.invite(id, body))
          const isTaken = model.isTaken(body)
          expect(Result.isFailure(answer) ? answer.failure._tag : "invited", isTaken ? "CONFLICT" : "invited", person)
          if (Result.isSuccess(answer)) model.invited(answer.success.id, body)
        })

        const signIn = Effect.fnUntraced(function*(person: string) {
          const isVerified = below(4) > 0
          const byMail = admits === undefined
          told.push(`${person} signs in ${byMail ? "by mail" : isVerified ? "" : "unverified"}`)
          const expected = byMail
            ? model.expectedByMail(addressOf(person))
            : model.expected(person, admits === "anyone", isVerified)
          const proof = byMail ? { mail_sign_in_token: person } : { id_token: tokenOf(person, isVerified) }
          const answer = yield* signedIn(keyHash, proof)
          if ("refused" in expected) {
            const code = expected.refused.endsWith("in use") ? "USER_LIMIT_EXCEEDED" : "USER_NOT_ALLOWED"
            return expect(answer, `${code} ${expected.refused}`, person)
          }
          if (expected.user === "new") {
            assert.match(answer, /^usr_/)
            assert.notInclude(model.users.map((user) => user.id), answer)
          } else expect(answer, expected.user, person)
          if (byMail) model.signedInByMail(answer, addressOf(person))
          else model.signedIn(answer, person, isVerified)
        })

        /** Who comes by the other way, of another issuer, or to a license that is not in force. */
        const refuse = Effect.fnUntraced(function*(person: string) {
          told.push(`${person} comes by the wrong way`)
          if (admits === undefined) {
            const answer = yield* signedIn(keyHash, { id_token: tokenOf(person, true) })
            expect(answer, "USER_NOT_ALLOWED no_issuer", "an ID token where no issuer is trusted")
          } else {
            const byMail = yield* signedIn(keyHash, { mail_sign_in_token: person })
            expect(byMail, "USER_NOT_ALLOWED issuer", "a mailbox where an issuer is trusted")
            const elsewhere = yield* signedIn(keyHash, { id_token: tokenOf(person, true, otherIssuer) })
            expect(elsewhere, "ID_TOKEN_INVALID issuer", "an account of another issuer")
          }
          yield* sql`UPDATE licenses SET state = 'suspended' WHERE id = ${id}`
          const suspended = yield* signedIn(keyHash, { id_token: tokenOf(person, true) })
          assert.match(suspended, /^LICENSE_INACTIVE /)
          yield* sql`UPDATE licenses SET state = 'active' WHERE id = ${id}`
        })

        const activate = Effect.fnUntraced(function*() {
          const user = pick(model.active)
          if (user === undefined) return
          const { id: device } = yield* rows.device({ license_id: id, floating: false })
          yield* insertUserDevices(sql, [{ deviceId: device, userId: user.id }])
          model.devices.set(device, user.id)
        })

        const reseat = Effect.gen(function*() {
          const seats = pick(seatCounts.filter((count) => count !== model.seats))
          const choice = pick(["keep", "refuse", "reset_newest"] as const)
          told.push(`${seats} seats: ${choice}`)
          const request = { policy_id: policies.get(seats)!, devices: choice }
          const answer = yield* Effect.result(changes.change(id, request))
          const isDone = model.reseated(seats, choice)
          expect(Result.isFailure(answer) ? answer.failure._tag : "done", isDone ? "done" : "STATE_CONFLICT", choice)
        })

        const transfer = Effect.gen(function*() {
          told.push("a transfer")
          yield* transfers.transfer(id, { customer_id: yield* customer, reset_devices: true })
          model.ended("transferred")
          model.devices.clear()
          admits = undefined
          const [row] = yield* sql<object>`SELECT trusted_issuer FROM licenses WHERE id = ${id}`
          expect(row, { trusted_issuer: null }, "the issuer is the former owner's")
        })

        const remove = Effect.gen(function*() {
          const user = pick(model.users)
          if (user === undefined) return
          told.push(`${user.id} is removed`)
          expect((yield* users.remove(id, user.id)).status, "removed", "a removal, also of one who is removed")
          model.removed([user.id], "removed")
        })

        const compare = Effect.gen(function*() {
          const { items } = yield* users.list(id, {}, { limit: 200, cursor: undefined })
          expect(
            items.map((user) => [user.id, user.status, user.removed_because, user.email, user.subject])
              .toSorted(([one], [other]) => String(one) < String(other) ? -1 : 1),
            model.users.map((user) => [user.id, user.status, user.removed_because, user.email, user.subject])
              .toSorted(([one], [other]) => String(one) < String(other) ? -1 : 1),
            "the users"
          )
          const active = yield* sql<{ readonly id: string }>`
            SELECT id FROM devices WHERE license_id = ${id} AND status = 'active' ORDER BY id`
          expect(active.map((device) => device.id), [...model.devices.keys()].toSorted(), "the devices")
        })

        for (let step = 0; step < steps; step++) {
          const person = pick(people)
          const kind = below(100)
          if (kind < 20) yield* invite(person)
          else if (kind < 58) yield* signIn(person)
          else if (kind < 68) yield* activate()
          else if (kind < 76) yield* remove
          else if (kind < 85) yield* reseat
          else if (kind < 92) {
            admits = pick(["anyone", "invited", "invited", undefined])
            told.push(`admits ${admits}`)
            yield* trust(id, admits)
          } else if (kind < 96) yield* refuse(person)
          else if (kind < 98) yield* transfer
          if (step % 4 === 0) yield* compare
        }
        yield* compare
        const events = yield* sql<{ readonly user_id: string; readonly kinds: ReadonlyArray<string> }>`
          SELECT metadata::jsonb->>'user_id' AS user_id, array_agg(event_type ORDER BY xid, ordinal) AS kinds
          FROM event_outbox WHERE event_type LIKE 'license.user%' GROUP BY 1`
        for (const user of model.users) {
          const kinds = events.find(({ user_id }) => user_id === user.id)?.kinds ?? []
          const isRemoved = user.status === "removed"
          expect(
            kinds.filter((kind) => kind === "license.user_removed").length > 0,
            isRemoved,
            `${user.id}: ${kinds.join(" ")}`
          )
          expect(kinds.includes("license.user_joined"), user.joined !== undefined, `${user.id}: ${kinds.join(" ")}`)
        }
      }))

    it.effect("one seat admits exactly one of two who sign in at once", () =>
      Effect.gen(function*() {
        const { id, keyHash } = yield* makeLicense(1)
        yield* trust(id, "anyone")
        const answers = yield* Effect.forEach(
          ["ada", "bob"],
          (subject) => signedIn(keyHash, { id_token: tokenOf(subject, true) }),
          { concurrency: 2 }
        )
        assert.lengthOf(answers.filter((answer) => answer.startsWith("usr_")), 1)
        assert.lengthOf(answers.filter((answer) => answer === "USER_LIMIT_EXCEEDED 1 of 1 in use"), 1)
      }))

    /** A license whose users signed in at an issuer: Ada, whose address is verified, Bob, whose address is not known, and Cleo, who is invited. */
    const signedInAt = Effect.gen(function*() {
      const users = yield* LicenseUsers
      const { id, keyHash, rows } = yield* makeLicense(4)
      yield* trust(id, "anyone")
      const ada = yield* signedIn(keyHash, { id_token: tokenOf("ada", true) })
      const bob = yield* signedIn(keyHash, { id_token: tokenOf("bob", false) })
      const { id: cleo } = yield* users.invite(id, { email: addressOf("cleo"), delivery: "none" })
      const { id: dan } = yield* users.invite(id, { issuer, subject: "dan", delivery: "none" })
      for (const user of [ada, bob]) {
        const device = yield* rows.device({ license_id: id, floating: false })
        yield* insertUserDevices(yield* Database, [{ deviceId: device.id, userId: user }])
      }
      const statuses = Effect.forEach(
        [ada, bob, cleo, dan],
        (user) => Effect.map(users.get(id, user), ({ status }) => status)
      )
      return { ada, bob, id, keyHash, statuses }
    })

    it.effect("another issuer carries those whose addresses are known, and ends the others, as a dry run says before", () =>
      Effect.gen(function*() {
        const updates = yield* LicenseUpdates
        const { ada, id, keyHash, statuses } = yield* signedInAt
        const change = { trusted_issuer: { issuer: otherIssuer, audience, admits: "anyone" } } as const
        const asked = yield* updates.update(id, { ...change, dry_run: true })
        assert.deepStrictEqual(asked.warnings.map(({ code }) => code), ["USERS_CARRIED", "USERS_ENDED"])
        assert.match(asked.warnings[0]!.message, /^1 user .* ada@example\.com/)
        assert.match(asked.warnings[1]!.message, /^2 users /)
        assert.deepStrictEqual(yield* statuses, ["active", "active", "invited", "invited"], "nothing is done")
        const done = yield* updates.update(id, change)
        assert.deepStrictEqual(done.warnings, asked.warnings)
        assert.deepStrictEqual(yield* statuses, ["active", "removed", "invited", "removed"])
        assert.strictEqual(done.data.active_device_count, 1, "the seats of those who lost theirs are free")
        const elsewhere = (subject: string) => signedIn(keyHash, { id_token: tokenOf(subject, true, otherIssuer) })
        assert.strictEqual(yield* elsewhere("ada"), ada, "the same seat")
        assert.match(yield* elsewhere("bob"), /^usr_/)
        assert.match(yield* elsewhere("cleo"), /^usr_/)
        const other = yield* updates.update(id, { trusted_issuer: { ...change.trusted_issuer, admits: "invited" } })
        assert.deepStrictEqual(other.warnings, [], "the issuer is the same")
      }))

    it.effect("another issuer, or none, ends all accounts of the one before where that is said", () =>
      Effect.gen(function*() {
        const updates = yield* LicenseUpdates
        const { id, statuses } = yield* signedInAt
        const ended = yield* updates.update(id, { trusted_issuer: null, carry_users: "end" })
        assert.deepStrictEqual(ended.warnings.map(({ code }) => code), ["USERS_ENDED"])
        assert.deepStrictEqual(yield* statuses, ["removed", "removed", "invited", "removed"])
        assert.strictEqual(ended.data.active_device_count, 0)
      }))

    it.effect("users who were carried to no issuer sign in by their mailboxes, in the same seats", () =>
      Effect.gen(function*() {
        const updates = yield* LicenseUpdates
        const { ada, id, keyHash } = yield* signedInAt
        yield* updates.update(id, { trusted_issuer: null })
        assert.strictEqual(yield* signedIn(keyHash, { mail_sign_in_token: "ada" }), ada)
      }))

    it.effect("the erasure of a customer frees the seats and the devices, and nobody is known by them", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const users = yield* LicenseUsers
        const { id, keyHash, rows } = yield* makeLicense(1)
        const other = yield* makeLicense(1)
        for (const  of of[id, other.id]) yield* trust(of, "anyone")
        const ada = yield* signedIn(keyHash, { id_token: tokenOf("ada", true) })
        yield* signedIn(other.keyHash, { id_token: tokenOf("bob", true) })
        const device = yield* rows.device({ license_id: id, floating: false })
        yield* insertUserDevices(sql, [{ deviceId: device.id, userId: ada }])
        const [owned] = yield* sql<{ readonly customer_id: string }>`SELECT customer_id FROM licenses WHERE id = ${id}`
        yield* sql`UPDATE license_users SET email = NULL, issuer = NULL, subject = NULL WHERE license_id = ${id}`
        yield* inTransaction(sql, users.endErased(owned!.customer_id))
        assert.deepInclude(yield* users.get(id, ada), { status: "removed", removed_because: "erased" })
        const [reset] = yield* sql<object>`SELECT status FROM devices WHERE id = ${device.id}`
        assert.deepStrictEqual(reset, { status: "reset" })
        assert.notStrictEqual(yield* signedIn(keyHash, { id_token: tokenOf("ada", true) }), ada, "somebody new")
        const page = yield* users.list(other.id, { status: "active" }, { limit: 10, cursor: undefined })
        assert.lengthOf(page.items, 1, "of another customer")
      }))
  })
})
