import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { belongings } from "../../../../src/domain/licensing/owners/Belongings.ts"
import type { Belonging, OwnersEnd } from "../../../../src/domain/licensing/owners/Belongings.ts"
import { FormerCodes } from "../../../../src/services/catalog/FormerCodes.ts"
import { Policies } from "../../../../src/services/catalog/Policies.ts"
import { Products } from "../../../../src/services/catalog/Products.ts"
import { Customers } from "../../../../src/services/customers/Customers.ts"
import { Subscriptions } from "../../../../src/services/customers/Subscriptions.ts"
import { KnownCredentials } from "../../../../src/services/ground/admission/KnownCredentials.ts"
import { RateLimits } from "../../../../src/services/ground/admission/RateLimits.ts"
import { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { Signing } from "../../../../src/services/keys/security/Signing.ts"
import { Vault } from "../../../../src/services/keys/security/Vault.ts"
import { Devices } from "../../../../src/services/licensing/licenses/Devices.ts"
import { LeaseClosing } from "../../../../src/services/licensing/licenses/LeaseClosing.ts"
import { Licenses } from "../../../../src/services/licensing/licenses/Licenses.ts"
import { LicenseUsers } from "../../../../src/services/licensing/licenses/LicenseUsers.ts"
import { SubscriptionFollowing } from "../../../../src/services/licensing/licenses/SubscriptionFollowing.ts"
import { LicenseKeys, LicenseTransfers } from "../../../../src/services/licensing/lifecycle/LicenseTransfers.ts"
import { insertTransferRequest } from "../../../../src/services/licensing/lifecycle/TransferRequestSql.ts"
import { SelfService } from "../../../../src/services/licensing/seats/SelfService.ts"
import { insertUserDevices } from "../../../../src/services/licensing/standings/UserStandingSql.ts"
import { MailQueue } from "../../../../src/services/mail/MailQueue.ts"
import { MailSuppressions } from "../../../../src/services/mail/MailSuppressions.ts"
import { makeAddresses, PortalSessions } from "../../../../src/services/portal/PortalSessions.ts"
import { PortalTransfers } from "../../../../src/services/portal/PortalTransfers.ts"
import { CustomerErasures } from "../../../../src/services/portal/privacy/CustomerErasures.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = Layer.mergeAll(
  LicenseTransfers.layer,
  CustomerErasures.layer,
  PortalTransfers.layer.pipe(
    Layer.provide(LicenseTransfers.layer),
    Layer.provide(Layer.mergeAll(Layer.mock(SelfService, {}), Layer.mock(PortalSessions, {})))
  )
).pipe(
  Layer.provideMerge(LicenseUsers.layer),
  Layer.provideMerge(LicenseKeys.layer),
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

let made = 0

const secretOf = (id: string) => `lto_${id}`

/** A customer with an address. */
const makeCustomer = Effect.gen(function*() {
  const sql = yield* Database
  const id = `cus_end_${++made}`
  const email = `${id}@example.com`
  yield* sql`INSERT INTO customers (id, name, code, email, metadata) VALUES (${id}, 'Ada', ${id}, ${email}, '{}')`
  return { id, email }
})

/** A license with everything that belongs to its owner: a customer, or an address alone. */
const makeOwned = Effect.fnUntraced(function*(isCustomer: boolean) {
  const sql = yield* Database
  const vault = yield* Vault
  const rows = makeRows(sql)
  const owner = yield* makeCustomer
  const number = ++made
  const keyHash = new Uint8Array([78, number])
  const id = yield* rows.license({
    customer_id: isCustomer ? owner.id : null,
    customer_email: owner.email,
    customer_name: "Ada",
    trusted_issuer: JSON.stringify({ issuer: "https://login.example.com", audience: "studio", admits: "anyone" })
  }, { max_users: 2, max_transfers: 9 })
  yield* sql`INSERT INTO license_keys (key_hash, license_id) VALUES (${keyHash}, ${id})`
  const user = `usr_end_${number}`
  yield* sql`INSERT INTO license_users (id, license_id, status, email, joined_at)
    VALUES (${user}, ${id}, 'active', 'eve@example.com', now())`
  const device = yield* rows.device({ license_id: id, hostname: "adas-laptop", ip_address: "10.0.0.1", floating: true })
  yield* insertUserDevices(sql, [{ deviceId: device.id, userId: user }])
  yield* sql`INSERT INTO leases (id, license_id, device_id, token_hash, rotated_at, checked_out_at, expires_at)
    VALUES (${`lease_end_${number}`}, ${id}, ${device.id}, sha256(${id}::text::bytea), now(), now(), now() + interval '1 hour')`
  // A machine that nobody of the users is on has the owner's file.
  const machine = yield* rows.device({ license_id: id, name: "Server", floating: false })
  yield* sql`INSERT INTO offline_files (id, license_id, device_id, fingerprint_hash, offline_counter, issued_at, valid_until)
    VALUES (${`ofl_end_${number}`}, ${id}, ${machine.id}, 'hash', 1, now(), now() + interval '2 years')`
  yield* sql`INSERT INTO portal_sessions (token_hash, license_id, key_hash, expires_at)
    VALUES (${new Uint8Array([79, number])}, ${id}, ${keyHash}, now() + interval '1 hour')`
  yield* insertTransferRequest(sql, {
    licenseId: id,
    customerId: owner.id,
    recipient: "next@example.com",
    tokenHash: vault.keyedHash("license-transfer", secretOf(id)),
    keyHash,
    addressHash: makeAddresses(vault).hashOf(owner),
    hours: 72
  })
  return { id, owner }
})

const count = (rows: Effect.Effect<ReadonlyArray<object>>) => Effect.map(rows, ({ length }) => length > 0)

/** Whether something that belonged to the owner can be used still, as those see it who would use it. */
const isThere = Effect.fnUntraced(function*(what: keyof typeof belongings, id: string, email: string) {
  const sql = yield* Database
  switch (what) {
    case "contact":
      return yield* count(
        sql<object>`SELECT 1 FROM licenses WHERE id = ${id} AND (customer_email = ${email} OR customer_name = 'Ada')`
      )
    case "users":
      return yield* count(
        sql<object>`SELECT 1 FROM license_users WHERE license_id = ${id} AND (status <> 'removed' OR email IS NOT NULL)
        UNION ALL SELECT 1 FROM license_user_devices u JOIN devices d ON d.id = u.device_id
          WHERE d.license_id = ${id} AND d.status = 'active'
        UNION ALL SELECT 1 FROM leases WHERE license_id = ${id} AND ended_at IS NULL`
      )
    case "trusted_issuer":
      return yield* count(sql<object>`SELECT 1 FROM licenses WHERE id = ${id} AND trusted_issuer IS NOT NULL`)
    case "offer":
      return Option.isSome(yield* Effect.option((yield* PortalTransfers).look(secretOf(id))))
    case "key_session":
      return yield* count(sql<object>`SELECT 1 FROM portal_sessions s JOIN license_keys k ON k.key_hash = s.key_hash
        AND k.license_id = s.license_id AND k.expires_at IS NULL WHERE s.license_id = ${id}`)
    case "offline_files":
      return yield* count(sql<object>`SELECT 1 FROM offline_files WHERE license_id = ${id} AND revoked_at IS NULL`)
    case "machine_names":
      return yield* count(
        sql<object>`SELECT 1 FROM devices WHERE license_id = ${id} AND num_nonnulls(name, hostname, ip_address) > 0`
      )
  }
})

type Owned = Effect.Success<ReturnType<typeof makeOwned>>

/** Each way in which a belonging may end, and whether the owner must be a customer for it. */
const ends = {
  other_owner: [
    ["to another customer", ({ id }: Owned) =>
      Effect.gen(function*() {
        const next = yield* makeCustomer
        yield* (yield* LicenseTransfers).transfer(id, { customer_id: next.id })
      })],
    ["to an address", ({ id }: Owned) =>
      Effect.gen(function*() {
        yield* (yield* LicenseTransfers).transfer(id, { customer_id: "", customer_email: "next@example.com" })
      })],
    ["to nobody", ({ id }: Owned) =>
      Effect.gen(function*() {
        yield* (yield* LicenseTransfers).transfer(id, { customer_id: "", customer_email: "", customer_name: "" })
      })]
  ],
  erasure: [["", ({ owner }: Owned) =>
    Effect.gen(function*() {
      const { first, last } = (yield* CustomerErasures).erase(owner.id)
      yield* last(yield* first)
    })]],
  other_address: [["", ({ owner }: Owned) =>
    Effect.gen(function*() {
      yield* (yield* Customers).update(owner.id, { email: "new@example.com" })
    })]],
  other_key: [["", ({ id }: Owned) =>
    Effect.gen(function*() {
      yield* (yield* LicenseKeys).rotate(id, { overlap_minutes: 0 })
    })]]
} as const

const listed = Object.entries(belongings) as ReadonlyArray<[keyof typeof belongings, Belonging]>

describe("what belongs to the owner of a license", () => {
  it.layer(layer, { excludeTestServices: true })((it) => {
    for (const end of Object.keys(ends) as ReadonlyArray<OwnersEnd>) {
      for (const [how, bring] of ends[end]) {
        for (const isCustomer of end === "other_owner" ? [true, false] : [true]) {
          it.effect(`ends by ${end} ${how} of ${isCustomer ? "a customer" : "an address"} where it says so, and else goes on`, () =>
            Effect.gen(function*() {
              const owned = yield* makeOwned(isCustomer)
              const other = yield* makeOwned(true)
              // Nobody but a customer offers a license.
              const had = listed.filter(([what]) => isCustomer || what !== "offer")
              for (const [what] of had) {
                assert.isTrue(yield* isThere(what, owned.id, owned.owner.email), `${what} before`)
              }
              yield* bring(owned)
              for (const [what, { endsBy }] of had) {
                assert.strictEqual(
                  yield* isThere(what, owned.id, owned.owner.email),
                  !endsBy.includes(end),
                  `${what} after ${end} ${how}`
                )
              }
              for (const [what] of listed) {
                assert.isTrue(yield* isThere(what, other.id, other.owner.email), `${what} of another owner`)
              }
            }))
        }
      }
    }

    it.effect("is told of: each user, each file and each device has its event, and the license says what it left", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const { id } = yield* makeOwned(false)
        const next = yield* makeCustomer
        yield* (yield* LicenseTransfers).transfer(id, { customer_id: next.id })
        const told = yield* sql<{ readonly event_type: string }>`
          SELECT event_type FROM event_outbox WHERE resource_id = ${id} OR metadata::jsonb ->> 'license_id' = ${id}
          ORDER BY xid, ordinal`
        assert.includeMembers(told.map(({ event_type }) => event_type), [
          "license.user_removed",
          "offline_file.revoked",
          "license.transferred"
        ])
      }))

    it.effect("stays where more becomes known of the same owner", () =>
      Effect.gen(function*() {
        const { id, owner } = yield* makeOwned(false)
        yield* (yield* LicenseTransfers).transfer(id, { customer_id: owner.id })
        for (const [what] of listed) assert.isTrue(yield* isThere(what, id, owner.email), what)
      }))
  })
})

/**
 * Members of one row that rows of other tables hold: each holder, with what becomes of it when the member changes. A reference is not a
 * label: whoever lets one be changed says what happens to its holders.
 */
const holders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  issuer: {
    license_users: "LicenseUsers.moveIssuer carries the accounts by their addresses, or ends them",
    person_identities: "a person signs in by another issuer with the same verified address"
  },
  address_hash: {
    portal_sessions: "PortalSessions compares it at each request: the session ends with the address",
    portal_links: "PortalLinks compares it when the link is opened",
    license_transfer_requests:
      "PortalTransfers compares it when the offer is looked at: the offer ends with the address"
  },
  key_hash: {
    license_keys: "the key itself",
    management_keys: "the key itself",
    publishable_keys: "the key itself",
    mails: "a mail with a key that was replaced is not sent",
    portal_sessions: "the session ends with the key"
  },
  license_key_hash: { license_transfer_requests: "the offer ends with the key" },
  external_id: {
    customers: "the name itself; a purchase finds its customer by it",
    orders: "the name itself; what a purchase has keeps its name",
    subscriptions: "the name itself; what a purchase has keeps its name"
  },
  feature_code: {
    activities: "what was said then",
    decided_calls: "what was asked for then",
    usage_corrections: "what was used then",
    usage_days: "what was used then",
    usage_records: "what was used then"
  },
  product_code: { leases: "the code that the app was given; former codes go on" }
}

describe("a member of one row that rows of other tables hold", () => {
  it.layer(layer, { excludeTestServices: true })((it) => {
    it.effect("is listed with each of its holders, and what becomes of them", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const found = yield* sql<{ readonly member: string; readonly table: string }>`
          SELECT c.column_name AS member, c.table_name AS table FROM information_schema.columns c
          JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
          WHERE t.table_type = 'BASE TABLE' AND c.table_schema = current_schema()
            AND c.column_name = ANY(${Object.keys(holders)}::text[])`
        assert.deepStrictEqual(
          found.map(({ member, table }) => `${member} in ${table}`).toSorted(),
          Object.entries(holders).flatMap(([member, tables]) =>
            Object.keys(tables).map((table) => `${member} in ${table}`)
          ).toSorted()
        )
      }))
  })
})
