import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import type { Countersign } from "../../../src/client/api/index.ts"
import { environmentOfKey } from "../../../src/domain/ground/environments/Environment.ts"
import { formatLicenseKey, licenseKeyLast4, licenseKeyPrefix } from "../../../src/domain/keys/security/Credential.ts"
import { KnownKeys, NewKeys } from "../../../src/runtime/moving/KnownKeys.ts"
import { Move, MoveJournal } from "../../../src/runtime/moving/Move.ts"
import {
  comparedGrant,
  differencesOf,
  grantsFor,
  hasEnded,
  isHidden,
  withoutGrants
} from "../../../src/runtime/moving/MovedGrants.ts"
import { bringUsers, issued } from "../../../src/runtime/moving/MovedLicenses.ts"

const directory = mkdtempSync(join(tmpdir(), "countersign-moving-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const ids = new Map([["prod_old", "prod_new"], ["feat_old", "feat_new"]])

describe("an entry in both services", () => {
  it.each([
    { title: "the same", before: { name: "A" }, after: { name: "A" }, is: [] },
    {
      title: "the same, by another id and at another time",
      before: { created_at: "2020" },
      after: { created_at: "2026" },
      is: []
    },
    {
      title: "the same, of the same product",
      before: { product_id: "prod_old" },
      after: { product_id: "prod_new" },
      is: []
    },
    {
      title: "the same, of the same products",
      before: { product_ids: ["prod_old"] },
      after: { product_ids: ["prod_new"] },
      is: []
    },
    {
      title: "of another product",
      before: { product_id: "prod_old" },
      after: { product_id: "prod_old" },
      is: ["product_id is \"prod_old\" and was \"prod_new\""]
    },
    { title: "a name that looks like an id", before: { name: "prod_old" }, after: { name: "prod_old" }, is: [] },
    { title: "another name", before: { name: "A" }, after: { name: "B" }, is: ["name is \"B\" and was \"A\""] },
    { title: "without a member", before: { tag: "a" }, after: {}, is: ["tag is not there and was \"a\""] },
    { title: "with one more", before: {}, after: { tag: "a" }, is: ["tag is \"a\" and was not there"] },
    { title: "members in another order", before: { m: { a: 1, b: 2 } }, after: { m: { b: 2, a: 1 } }, is: [] }
  ])("is $title", ({ after, before, is }) => {
    assert.deepStrictEqual(differencesOf("products", { id: "old", ...before }, { id: "new", ...after }, ids), is)
  })

  it("is compared without what each service counts for itself, and without what is left out", () => {
    const before = { id: "lic_1", status: "expired", total_consumptions: 5, license_key_last4: "AAAA" }
    const after = { id: "lic_2", status: "active", total_consumptions: 0, license_key_last4: "BBBB" }
    assert.deepStrictEqual(differencesOf("licenses", before, after, ids, ["license_key_last4"]), [])
    assert.lengthOf(differencesOf("licenses", before, { ...after, status: "suspended" }, ids), 2)
  })
})

describe("the keys of licenses", () => {
  const keys = [1, 2, 3].map((byte) => formatLicenseKey(Buffer.alloc(15, byte)))
  const license = (id: string, key: string) => ({
    id,
    license_key_prefix: licenseKeyPrefix(key),
    license_key_last4: licenseKeyLast4(key)
  })
  const read = async (text: string): Promise<KnownKeys> => {
    const file = join(directory, "keys.csv")
    writeFileSync(file, text)
    const known = new KnownKeys()
    await known.read(file)
    return known
  }

  it("are found by the license that a line names, and else by what is shown of them", async () => {
    const known = await read(`license_id,license_key\nlic_1,${keys[0]}\n,${keys[1]}\n`)
    const [named, shown] = [license("lic_1", keys[0]!), license("lic_2", keys[1]!)]
    for (const each of [named, shown]) known.expect(each)
    assert.strictEqual(known.of(named), keys[0])
    assert.strictEqual(known.of(shown), keys[1])
    assert.isUndefined(known.of(license("lic_3", keys[2]!)))
  })

  it("are not told of by what is shown where two licenses show the same", async () => {
    const known = await read(`license_key\n${keys[0]}\n`)
    for (const id of ["lic_1", "lic_2"]) known.expect(license(id, keys[0]!))
    assert.deepStrictEqual(known.of(license("lic_1", keys[0]!)), {
      unclear: "the keys of several licenses are shown as"
    })
  })

  it("are not told of by a part that is too short", async () => {
    const known = await read(`license_key\n${keys[0]}\n`)
    const short = { ...license("lic_1", keys[0]!), license_key_prefix: licenseKeyPrefix(keys[0]!).slice(0, 7) }
    known.expect(short)
    const found = known.of(short)
    assert.isTrue(found === undefined || typeof found === "object")
  })

  it("belong to one license each", async () => {
    const message = await read(`license_id,license_key\nlic_1,${keys[0]}\nlic_2,${keys[0]}\n`).then(
      () => "read",
      (error: Error) => error.message
    )
    assert.match(message, /^Line 3 of .* gives lic_2 the key that is lic_1's already$/)
  })

  it("stand in each line", async () => {
    const message = await read("license_key\nno key\n").then(() => "read", (error: Error) => error.message)
    assert.match(message, /^Line 2 of .* has no license key in its column license_key$/)
  })

  it("that are new stand in the file before they are used, and are found there by the next run", async () => {
    const file = join(directory, "new.csv")
    const made = await (await NewKeys.at(file, new KnownKeys(), "test")).make({
      id: "lic_1",
      customer_email: "a\"b@acme.example"
    })
    assert.strictEqual(
      readFileSync(file, "utf8"),
      `license_id,license_key,customer_email\nlic_1,${made},"a""b@acme.example"\n`
    )
    const known = new KnownKeys()
    const again = await NewKeys.at(file, known, "test")
    assert.strictEqual(known.of(license("lic_1", made)), made)
    assert.strictEqual(environmentOfKey(made), "test", "a key is of the environment that it is made for")
    const second = await again.make({ id: "lic_2" })
    assert.strictEqual(readFileSync(file, "utf8").split("\n").at(-2), `lic_2,${second},""`)
  })
})

describe("the journal of an import", () => {
  const service = "https://licenses.acme.example"

  it("knows what was begun and not ended, of its own service, also behind a line that was cut off", async () => {
    const place = mkdtempSync(join(directory, "journal-"))
    const journal = await MoveJournal.at(place, service, false)
    await journal.begin("lic_1")
    await journal.begin("lic_2")
    await journal.end("lic_1")
    await (await MoveJournal.at(place, "https://other.example", false)).begin("lic_3")
    const path = join(place, "imported.ndjson")
    writeFileSync(path, readFileSync(path, "utf8") + `{"service": "${service}", "id": "lic_4", "sta`)
    const again = await MoveJournal.at(place, service, false)
    await again.begin("lic_5")
    const last = await MoveJournal.at(place, service, true)
    assert.deepStrictEqual(
      ["lic_1", "lic_2", "lic_3", "lic_4", "lic_5"].filter((id) => last.isOpen(id)),
      ["lic_2", "lic_5"]
    )
  })

  it("ends nothing that it has not begun", async () => {
    const place = mkdtempSync(join(directory, "journal-"))
    const journal = await MoveJournal.at(place, service, false)
    await journal.end("lic_1")
    assert.strictEqual(readFileSync(join(place, "imported.ndjson"), "utf8"), "")
  })
})

describe("a grant that is brought", () => {
  const now = Date.parse("2026-11-28T12:00:00Z")
  const past = "2026-11-28T12:00:00.000Z"
  const future = "2027-01-01T00:00:00.000Z"
  const grant = {
    id: "grant_1",
    feature_id: "feat_old",
    amount: 100,
    remaining: 40,
    priority: 50,
    source: "purchase",
    starts_at: "2026-01-01T00:00:00.000Z"
  }
  const given = { feature_id: "feat_new", starts_at: grant.starts_at, priority: 50, source: "purchase" }

  it.each([
    {
      title: "is what is left of it, known by its id",
      grant,
      is: [{ body: { ...given, amount: 40, reference: "grant_1" }, isRevoked: false }]
    },
    {
      title: "keeps its reference where all of it is left",
      grant: { ...grant, remaining: 100, reference: "order-7" },
      is: [{ body: { ...given, amount: 100, reference: "order-7" }, isRevoked: false }]
    },
    {
      title: "holds its reference by a revoked one where less is left",
      grant: { ...grant, reference: "order-7" },
      is: [
        { body: { ...given, amount: 100, reference: "order-7" }, isRevoked: true },
        { body: { ...given, amount: 40, reference: "grant_1" }, isRevoked: false }
      ]
    },
    { title: "is nothing once it is used up", grant: { ...grant, remaining: 0 }, is: [] },
    { title: "is nothing once it has ended, at its end", grant: { ...grant, expires_at: past }, is: [] },
    { title: "is nothing once it is revoked", grant: { ...grant, revoked_at: past }, is: [] },
    {
      title: "keeps its end",
      grant: { ...grant, expires_at: future },
      is: [{ body: { ...given, amount: 40, reference: "grant_1", expires_at: future }, isRevoked: false }]
    },
    {
      title: "holds its reference when it has ended",
      grant: { ...grant, expires_at: past, reference: "order-7" },
      is: [{ body: { ...given, amount: 100, reference: "order-7" }, isRevoked: true }]
    },
    {
      title: "is a gift where it was carried over",
      grant: { ...grant, source: "rollover" },
      is: [{ body: { ...given, source: "gift", amount: 40, reference: "grant_1" }, isRevoked: false }]
    },
    {
      title: "takes away all that a correction takes",
      grant: { ...grant, source: "correction", amount: -30, remaining: 0, expires_at: future },
      is: [{
        body: {
          ...given,
          source: "correction",
          amount: -30,
          reference: "grant_1",
          expires_at: future,
          reason: "Brought from another service"
        },
        isRevoked: false
      }]
    }
  ])("$title", ({ grant, is }) => {
    assert.deepStrictEqual(grantsFor(grant, ids, now), is)
  })

  it("is compared by what it was given as", () => {
    assert.deepStrictEqual(
      comparedGrant({ ...grant, source: "rollover", reference: "r" }),
      { reference: "r", feature_id: "feat_old", amount: 100, priority: 50, source: "gift" }
    )
  })

  it.each([
    { title: "without an end", grant, is: false },
    { title: "before its end", grant: { ...grant, expires_at: future }, is: false },
    { title: "at its end", grant: { ...grant, expires_at: past }, is: true },
    { title: "revoked before its end", grant: { ...grant, expires_at: future, revoked_at: past }, is: true }
  ])("has ended $title: $is", ({ grant, is }) => {
    assert.strictEqual(hasEnded(grant, now), is)
  })

  describe("leaves the feature", () => {
    const feature = { id: "lf_1", feature_id: "feat_old", total_consumptions: 70 }

    it.each([
      {
        title: "as it is where nothing was granted",
        feature: { ...feature, max_consumptions: 100 },
        grants: [],
        is: { ...feature, max_consumptions: 100 }
      },
      {
        title: "without what grants have left and have served",
        feature: { ...feature, max_consumptions: 150, granted_consumptions: 60, granted_remaining: 40 },
        grants: [grant],
        is: { ...feature, total_consumptions: 10, max_consumptions: 50 }
      },
      {
        title: "without what is left of pools",
        feature: { ...feature, max_consumptions: 150, pool_remaining: 50 },
        grants: [],
        is: { ...feature, max_consumptions: 100 }
      },
      {
        title: "with what a correction takes away",
        feature: { ...feature, max_consumptions: 70, granted_consumptions: 0 },
        grants: [{ ...grant, amount: -30, remaining: 0 }],
        is: { ...feature, max_consumptions: 100 }
      },
      {
        title: "without limit where it has none",
        feature: { ...feature, granted_consumptions: 60 },
        grants: [grant],
        is: { ...feature, total_consumptions: 10 }
      }
    ])("$title", ({ feature, grants, is }) => {
      assert.deepStrictEqual(withoutGrants(feature, { grants, now }), { ...is })
    })

    it("unclear where corrections take all of its quota", () => {
      const from = { grants: [{ ...grant, amount: -300, remaining: 0 }], now }
      const hidden = { ...feature, max_consumptions: 0, granted_consumptions: 0 }
      assert.isTrue(isHidden(hidden, from))
      assert.isFalse(isHidden({ ...hidden, from: "policy" }, from))
      assert.isFalse(isHidden({ ...hidden, max_consumptions: 1 }, from))
      assert.isFalse(isHidden(hidden, { grants: [], now }))
    })
  })
})

describe("an import", () => {
  /** A service that notes what it is asked to do for a license and a user. */
  const noting = () => {
    const asked: Array<readonly [operation: string, body: object]> = []
    const made = { license: { id: "lic_here" }, license_key: "key" }
    const licenses = {
      create: async (body: object) => {
        asked.push(["create", body])
        return made
      },
      createMany: async (body: object) => {
        asked.push(["createMany", body])
        return { results: [{ index: 0, ...made }] }
      },
      listUsers: async function*() {},
      inviteUser: async (_id: string, body: object) => asked.push(["inviteUser", body])
    }
    return { asked, client: { licenses } as unknown as Countersign }
  }

  it.each([[false], [true]])("says something to anybody only where it is asked to: %s", async (notifies) => {
    const { asked, client } = noting()
    const journal = await MoveJournal.at(directory, "http://127.0.0.1", true)
    const move = new Move(client, directory, journal, { isDry: false, notifies })
    const body = { product_id: "prod_1", policy_id: "pol_1", license_key: "key-of-before" }
    assert.strictEqual((await issued(move, body)).id, "lic_here")
    await bringUsers(move, { id: "lic_1" }, "lic_here", [{ status: "active", email: "ada@example.com" }])
    assert.deepStrictEqual(
      asked,
      notifies
        ? [["create", body], ["inviteUser", { email: "ada@example.com" }]]
        : [["createMany", { licenses: [body] }], ["inviteUser", { email: "ada@example.com", delivery: "none" }]]
    )
    assert.deepStrictEqual(move.tally.findings, [])
  })
})
