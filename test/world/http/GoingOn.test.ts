// A subscription that is replaced by another one, and whose end is told when the other one has a license of its own by then.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { decodedSubject, MailServer } from "../../fixtures/MailServer.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

const keyMails = ["Your license key for Acme"]
const continues = "Your license for Acme continues"
/** The one customer whom the test environment may mail. */
const listed = "cus_listed"
const hour = 3600
const day = 24 * hour

const server = await new MailServer().start()

/** An environment of the service, and what is sold in it. */
interface Place {
  readonly service: Service
  readonly shop: Awaited<ReturnType<typeof openShop>>
}

let live: Place
let test: Place

const openPlace = async (service: Service): Promise<Place> => {
  let policyId = ""
  const shop = await openShop(service, (policy) => {
    policyId = policy.id
    return { prices: [{ by: "price", value: "price_pro", policy_id: policy.id, quantity: "seats" }] }
  })
  await service.data("PATCH", `/api/v1/policies/${policyId}`, { mails: ["license_issued"] })
  return { service, shop }
}

beforeAll(async () => {
  const service = await startService({
    environment: {
      COUNTERSIGN_SMTP_URL: server.url,
      COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>",
      COUNTERSIGN_MAIL_TEST_ADDRESSES: `${listed}@example.com`
    }
  })
  live = await openPlace(service)
  test = await openPlace(inTestOf(service, testDatabaseOf(service)))
})

/** A key of a license, and a device that has activated it. */
const activated = async ({ service }: Place, { id }: Body): Promise<string> => {
  const { license_key } = await service.data("POST", `/api/v1/licenses/${id}/rotate-key`, {})
  const answer = await service.license("activate", license_key, { fingerprint: `device of ${id}` })
  assert.strictEqual(answer.status, 200, answer.text)
  return license_key
}

/** Waits until the key of a license is mailed. */
const mailed = ({ service }: Place, { id }: Body) =>
  eventually(
    "the key is mailed",
    async () => (await service.feed(`&resource_id=${id}`)).find(({ event_type }) => event_type === "mail.sent")
  )

/** A customer who has replaced a subscription by another one two hours ago; of the end of the old one nobody was told yet. */
const replaced = async (place: Place, customer?: string) => {
  const { shop } = place
  const isMailed = place === live || customer === listed
  const now = Math.floor(Date.now() / 1000)
  const before = sold({ ...(customer === undefined ? {} : { customer }), from: now - 10 * day })
  await shop.sendAll(before.bought)
  const old = await shop.license(before, ({ status }) => status === "active")
  if (isMailed) await mailed(place, old)
  const key = await activated(place, old)
  const after = sold({ customer: before.customer, from: now - 2 * hour })
  await shop.sendAll(after.bought)
  // It has waited ten seconds for an end that is told with it.
  const fresh = await shop.license(after, ({ status }) => status === "active")
  assert.notStrictEqual(fresh.id, old.id)
  if (isMailed) await mailed(place, fresh)
  const at = 10 * day - hour
  const canceled = { status: "canceled", canceled_at: now - hour, ended_at: now - hour }
  return { after, before, fresh, key, old, end: before.event("customer.subscription.deleted", at, canceled) }
}

describe("the end of a subscription that is told after another one has a license of its own", () => {
  it("leaves the old key and devices working while nobody has used the new one, and both as they are where somebody has", async () => {
    const { service, shop } = live
    const [unused, used] = await Promise.all([replaced(live), replaced(live)])
    await activated(live, used.fresh)

    await shop.send(unused.end)
    const { licenses } = await shop.purchase(
      unused.after,
      ({ licenses: [first] }) => first?.license_id === unused.old.id
    )
    assert.lengthOf(licenses, 1)
    const answer = await service.license("validate", unused.key, { fingerprint: `device of ${unused.old.id}` })
    assert.deepInclude(answer.body.data, { status: "active" }, answer.text)
    const gone = await service.data("GET", `/api/v1/licenses/${unused.fresh.id}`)
    assert.strictEqual(gone.status, "revoked")
    const told = (await service.feed(`&resource_id=${gone.id}`)).find(({ event_type }) =>
      event_type === "license.revoked"
    )
    assert.include(told!["metadata"]["reason_given"], unused.old.id, "it says which license goes on")
    const mails = await server.to(unused.before.email, 3)
    const subjects = mails.map(decodedSubject)
    assert.sameMembers(subjects, [...keyMails, ...keyMails, continues])
    const { raw } = mails[subjects.findIndex((subject) => !keyMails.includes(subject))]!
    assert.include(raw, unused.key.slice(-4), "the key that works")
    assert.include(raw, gone.license_key_last4, "the key that does not")

    await shop.send(used.end)
    await shop.purchase(used.before, ({ state, status }) => status === "done" && state === "canceled")
    const kept = await shop.purchase(used.after)
    assert.deepStrictEqual(kept.licenses.map(({ license_id }: Body) => license_id), [used.fresh.id])
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${used.fresh.id}`)).status, "active")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${used.old.id}`)).status, "expired")
    assert.deepStrictEqual((await server.to(used.before.email)).map(decodedSubject), [...keyMails, ...keyMails])
  })

  it("is mailed by the test environment to the addresses alone that it may mail", async () => {
    const { service, shop } = test
    // The customer who may be mailed comes last, so that the mails of the other one would be there by then.
    for (const customer of ["cus_unlisted", listed]) {
      const { after, before, end, fresh, old } = await replaced(test, customer)
      await shop.send(end)
      await shop.purchase(after, ({ licenses: [first] }) => first?.license_id === old.id)
      assert.strictEqual((await service.data("GET", `/api/v1/licenses/${fresh.id}`)).status, "revoked")
      if (customer !== listed) continue
      const subjects = (await server.to(before.email, 3)).map(decodedSubject)
      assert.sameMembers(subjects, [...keyMails, ...keyMails, continues])
    }
    assert.isEmpty(server.received.filter(({ recipient }) => recipient === "cus_unlisted@example.com"))
  })
})
