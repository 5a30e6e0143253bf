// What the people of a vendor do at their desks, briefly: work on many licenses at once, second looks, the figures, what is sent,
// and the log. What each of it is under load, in races and after faults is in test/world/http.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyConsistency } from "../../../src/domain/evidence/transparency/MerkleTree.ts"
import { servedLeafHash } from "../../../src/domain/log/EventLeaf.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { apiKeys, providerApis } from "../../fixtures/ProviderApis.ts"
import { stand } from "../../fixtures/ProviderObjects.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"

const apis = await providerApis()
const service = await startService({ environment: { COUNTERSIGN_PROVIDER_API_URL: apis.url } })
const issued = await service.issue({ policy: { max_activations: 1, allow_vm: true } })

/** A key of its own with these scopes. */
const keyWith = async (scopes: ReadonlyArray<string>, more: object = {}): Promise<string> =>
  (await service.data("POST", "/api/v1/api-keys", { name: "Desk", scopes, ...more })).token
const statuses = (ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Promise.all(ids.map(async (id) => (await service.data("GET", `/api/v1/licenses/${id}`)).status))
/** The kinds of the events about a resource, in their order. */
const told = async (id: string): Promise<ReadonlyArray<string>> =>
  (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)

/** Active licenses of one policy. */
const licenses = async (many: number): Promise<ReadonlyArray<string>> => {
  const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
    defaults: { product_id: issued.product.id, policy_id: issued.policy.id },
    licenses: Array.from({ length: many }, () => ({}))
  })
  return results.map(({ license }: Body) => license.id)
}

describe("a job", () => {
  const toSuspend = async (token: string, ids: ReadonlyArray<string>): Promise<Body> => {
    const body = { action: "suspend", selection: { ids } }
    const headers = { "idempotency-key": randomUUID() }
    return (await service.data("POST", "/api/v1/licenses/jobs", body, { token, headers })).job
  }
  const ended = (id: string): Promise<Body> =>
    eventually("the job ends", async () => {
      const job = await service.data("GET", `/api/v1/jobs/${id}`)
      return job.state === "running" ? undefined : job
    })

  it("is read with its rows, and retried once for those that failed", async () => {
    const token = await keyWith(["license:write"])
    const [fine, revoked] = await licenses(2) as [string, string]
    await service.data("POST", `/api/v1/licenses/${revoked}/revoke`)
    const { id } = await toSuspend(token, [fine, revoked])
    assert.deepInclude(await ended(id), { state: "done", total: 2, done: 1, failed: 1 })
    assert.deepStrictEqual(await statuses([fine, revoked]), ["suspended", "revoked"])
    const [row, ...more] = await service.data("GET", `/api/v1/jobs/${id}/rows?outcome=failed`)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(row.license_id, revoked)
    assert.strictEqual(row.failure.code, "STATE_CONFLICT")
    assert.deepStrictEqual(await told(id), ["job.created", "job.done"])
    const retry = () =>
      service.call("POST", `/api/v1/jobs/${id}/retry`, { token, headers: { "idempotency-key": randomUUID() } })
    const again = await retry()
    assert.strictEqual(again.status, 201, again.text)
    assert.deepInclude(again.body.data, { repeats: id, total: 1 })
    assert.deepInclude(await ended(again.body.data.id), { failed: 1 })
    assert.strictEqual(refused(await retry(), 409, "STATE_CONFLICT").detail, again.body.data.id)
    const listed = await service.data("GET", "/api/v1/jobs")
    assert.deepStrictEqual(listed.map((job: Body) => job.id), [again.body.data.id, id])
  })

  it("is stopped before its next license, and neither seen nor stopped from other products", async () => {
    const [other, token] = await Promise.all([keyWith(["license:write"]), keyWith(["license:write"])])
    const ids = await licenses(4)
    const held = await hold(service.databaseUrl, "SELECT 1 FROM licenses WHERE id = ANY($1::text[]) FOR UPDATE", [ids])
    // The licenses of another job are under way, as many as may be at once: those of this one wait for their turn.
    const before = await toSuspend(other, ids.slice(0, 2))
    await held.blocked(2)
    const { id } = await toSuspend(token, ids.slice(2))
    const elsewhere = await keyWith(["license:write"], { product_ids: [(await makeProduct(service)).id] })
    refused(await service.call("POST", `/api/v1/jobs/${id}/stop`, { token: elsewhere }), 404, "NOT_FOUND")
    refused(await service.call("GET", `/api/v1/jobs/${id}`, { token: elsewhere }), 404, "NOT_FOUND")
    assert.deepInclude(await service.data("POST", `/api/v1/jobs/${id}/stop`), { state: "stopped", total: 2, done: 0 })
    await held.release()
    await ended(before.id)
    assert.deepStrictEqual(await statuses(ids), ["suspended", "suspended", "active", "active"])
    assert.lengthOf(await service.data("GET", `/api/v1/jobs/${id}/rows?outcome=pending`), 2)
    assert.deepStrictEqual(await told(id), ["job.created", "job.stopped"])
  })
})

describe("an approval", () => {
  it("is asked for by one person and given, declined or canceled, which alone decides what is done", async () => {
    const role = await service.data("POST", "/api/v1/roles", {
      name: "Desk",
      scopes: ["admin"],
      second_look: ["revoke_license"]
    })
    const jun = await signInAs(service, "Jun Sato", [role.id])
    const ada = await signInAs(service, "Ada Lovelace", ["owner"])
    const ids = await licenses(3)
    refused(await asPerson(service, jun, "POST", `/api/v1/licenses/${ids[0]}/revoke`), 403, "APPROVAL_REQUIRED")
    const asked: Array<string> = []
    for (const id of ids) {
      const body = { operation: "revokeLicense", params: { id }, reason: "Chargeback" }
      const answer = await asPerson(service, jun, "POST", "/api/v1/approvals", body)
      assert.strictEqual(answer.status, 201, answer.text)
      assert.deepInclude(answer.body.data, { state: "pending", operation: "revokeLicense" })
      asked.push(answer.body.data.id)
    }
    const [given, declined, canceled] = asked as [string, string, string]
    const waiting = await asPerson(service, ada, "GET", "/api/v1/approvals?awaiting_me=true")
    assert.sameMembers(waiting.body.data.map(({ id }: Body) => id), asked)
    const reason = { reason: "Checked" }
    refused(await asPerson(service, jun, "POST", `/api/v1/approvals/${given}/approve`, reason), 409, "STATE_CONFLICT")
    assert.deepStrictEqual(await statuses(ids), ["active", "active", "active"])
    const decided = [
      await asPerson(service, ada, "POST", `/api/v1/approvals/${given}/approve`, reason),
      await asPerson(service, ada, "POST", `/api/v1/approvals/${declined}/decline`, reason),
      await asPerson(service, jun, "POST", `/api/v1/approvals/${canceled}/cancel`)
    ]
    const states = ["approved", "declined", "canceled"]
    assert.deepStrictEqual(decided.map(({ body }) => body.data?.state), states, decided.map(({ text }) => text).join())
    assert.deepStrictEqual(await statuses(ids), ["revoked", "active", "active"])
    for (const [index, id] of asked.entries()) {
      assert.strictEqual((await service.data("GET", `/api/v1/approvals/${id}`)).state, states[index])
      assert.deepStrictEqual(await told(id), ["approval.requested", `approval.${states[index]}`])
    }
    const late = await asPerson(service, ada, "POST", `/api/v1/approvals/${declined}/approve`, reason)
    refused(late, 409, "STATE_CONFLICT")
  })
})

describe("a reconciliation", () => {
  it("reports what a provider has and no event told, and mends it unless it is a dry run", async () => {
    stand(apis, "stripe", { id: "sub_lost", quantity: 5, changed: Math.floor(Date.now() / 1000) - 3600 })
    const policy = await service.data("POST", `/api/v1/products/${issued.product.id}/policies`, {
      name: "Pro",
      code: "pro",
      license_type: "subscription",
      follows_subscription: true,
      max_activations: 1
    })
    const { id } = await service.data("POST", "/api/v1/billing/connections", {
      provider: "stripe",
      name: "Stripe",
      api_key: apiKeys.stripe,
      mapping: { prices: [{ by: "price", value: "plan", policy_id: policy.id, quantity: "seats" }] }
    })
    const reconcile = async (body: object): Promise<Body> => {
      const asked = await service.data("POST", `/api/v1/billing/connections/${id}/reconcile`, body)
      return eventually("the reconciliation is over", async () => {
        const found = await service.data("GET", `/api/v1/billing/reconciliations/${asked.id}`)
        return ["done", "failed"].includes(found.status) ? found : undefined
      })
    }
    const purchases = () => service.data("GET", "/api/v1/billing/purchases?external_id=sub_lost")
    const dry = await reconcile({ dry_run: true })
    assert.deepInclude(dry, { status: "done", dry_run: true, missing: 1 })
    assert.deepInclude(dry.findings[0], { finding: "missing", external_id: "sub_lost" })
    assert.deepStrictEqual(await purchases(), [])
    const mended = await reconcile({})
    assert.deepInclude(mended, { status: "done", missing: 1 })
    const sold = await eventually("the purchase has its license", async () => (await purchases())[0]?.licenses?.[0])
    assert.deepInclude(await service.data("GET", `/api/v1/licenses/${sold.license_id}`), {
      status: "active",
      policy_id: policy.id
    })
    const listed = await service.data("GET", `/api/v1/billing/connections/${id}/reconciliations`)
    assert.deepStrictEqual(listed.map((one: Body) => one.id), [mended.id, dry.id])
    const keyless = await service.data("POST", "/api/v1/billing/connections", { provider: "stripe", name: "No key" })
    const path = `/api/v1/billing/connections/${keyless.id}/reconcile`
    refused(await service.call("POST", path, { body: {} }), 409, "STATE_CONFLICT")
  })
})

describe("a rehearsal of a policy", () => {
  it("says which calls that were granted would be refused, and changes nothing", async () => {
    const { key, policy } = issued
    const path = `/api/v1/policies/${policy.id}/rehearse`
    for (const operation of ["activate", "validate"]) {
      assert.strictEqual((await service.license(operation, key, { fingerprint: "vm", is_vm: true })).status, 200)
    }
    const found = await eventually("the calls are recorded", async () => {
      const rehearsed = await service.data("POST", path, { change: { allow_vm: false } })
      return rehearsed.calls.all === 2 ? rehearsed : undefined
    })
    assert.deepInclude(found.calls, { all: 2, refused: 2, granted: 0 })
    assert.deepStrictEqual(found.refused, [{ code: "VM_NOT_ALLOWED", licenses: 1, devices: 1, calls: 2 }])
    assert.isTrue((await service.data("GET", `/api/v1/policies/${policy.id}`)).allow_vm)
    const token = await keyWith(["event:read"])
    refused(await service.call("POST", path, { token, body: { change: {} } }), 403, "TOKEN_SCOPE_DENIED")
  })
})

describe("an export of a report", () => {
  it("is listed as failed with its reason, and is ready once what was missing is there and it is retried", async () => {
    const { id } = await service.data("POST", "/api/v1/reports/exports", {
      report_kind: "license-audit",
      filters: { license_id: "lic_nobody" },
      format: "csv"
    })
    const reached = (status: string): Promise<Body> =>
      eventually(`the export is ${status}`, async () => {
        const listed = await service.data("GET", `/api/v1/reports/exports?status=${status}`)
        return listed.find((one: Body) => one.id === id)
      })
    assert.strictEqual((await reached("failed")).failure.code, "NOT_FOUND")
    const database = await session(service.databaseUrl)
    await database.query(
      "UPDATE report_exports SET filters = jsonb_build_object('license_id', $2::text) WHERE id = $1",
      [
        id,
        issued.license.id
      ]
    )
    assert.notProperty(await service.data("POST", `/api/v1/reports/exports/${id}/retry`), "failure")
    await reached("ready")
    refused(await service.call("POST", `/api/v1/reports/exports/${id}/retry`), 409, "STATE_CONFLICT")
    assert.deepStrictEqual(await told(id), ["report_export.created", "report_export.failed", "report_export.ready"])
  })
})

describe("a webhook endpoint that goes on from now", () => {
  it("is sent nothing of what waited, and has to be paused before", async () => {
    const target = await startReceiver()
    const { webhook }: Body = await service.data("POST", "/api/v1/webhooks", {
      name: "Ledger",
      url: target.url,
      event_types: ["product.created"],
      is_active: false
    })
    for (let index = 0; index < 2; index++) await makeProduct(service)
    await service.feed()
    const path = `/api/v1/webhooks/${webhook.id}/resume-from-now`
    const resumed = await service.data("POST", path, { reason: "A flood" })
    assert.strictEqual(resumed.skipped_events, 2)
    assert.deepInclude(resumed.webhook, { id: webhook.id, status: "active" })
    const { id } = await makeProduct(service)
    const [delivery] = await eventually("what comes later arrives", () => target.received.length > 0 && target.received)
    assert.strictEqual(JSON.parse(delivery!.body).data.id, id)
    const [skipped] = await service.feed(`&event_type=webhook.skipped&resource_id=${webhook.id}`)
    assert.deepInclude(skipped.data, { webhook_id: webhook.id, skipped_events: 2 })
    assert.strictEqual(skipped.metadata.reason_given, "A flood")
    refused(await service.call("POST", path, { body: { reason: "Again" } }), 409, "STATE_CONFLICT")
  })
})

describe("a suppressed address", () => {
  it("is found by its address and read by those who may see mails, and no event names it", async () => {
    const before = await service.data("GET", "/api/v1/settings/mail/suppressions?address=ada@example.com")
    assert.deepStrictEqual(before, [])
    const made = await service.data("POST", "/api/v1/settings/mail/suppressions", { address: "Ada@example.com" })
    const found = await service.data("GET", "/api/v1/settings/mail/suppressions?address=ada@example.com")
    assert.deepStrictEqual(found, [made])
    assert.deepInclude(made, { address: "Ada@example.com", reason: "by_hand" })
    assert.deepStrictEqual(await service.data("GET", `/api/v1/settings/mail/suppressions/${made.id}`), made)
    const [event] = await service.feed(`&event_type=mail_suppression.created&resource_id=${made.id}`)
    assert.isDefined(event)
    assert.notInclude(JSON.stringify(event), "example.com")
    const token = await keyWith(["license:write"])
    const denied = await service.call("GET", `/api/v1/settings/mail/suppressions/${made.id}`, { token })
    refused(denied, 403, "TOKEN_SCOPE_DENIED")
  })
})

describe("the event log", () => {
  it("has one epoch until it is restored, and each checkpoint continues its first event", async () => {
    const [first] = await service.feed()
    const latest = await eventually("a checkpoint is signed", async () => {
      const answer = await service.call("GET", "/api/v1/events/checkpoint")
      return answer.status === 200 ? answer.body.data : undefined
    })
    const epochs = await service.data("GET", "/api/v1/events/epochs")
    assert.deepStrictEqual(epochs, [{ epoch: 1, origin: latest.origin, first_sequence: 1 }])
    const proof = await service.data("GET", `/api/v1/events/consistency?from=1&to=${latest.tree_size}`)
    const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))
    const continues = (firstRoot: Uint8Array) =>
      verifyConsistency({
        first: 1,
        firstRoot,
        second: latest.tree_size,
        secondRoot: bytes(latest.root_hash),
        hashes: proof.hashes.map(bytes)
      }, sha256)
    assert.isTrue(continues(servedLeafHash(first, sha256)))
    assert.isFalse(continues(servedLeafHash({ ...first, sequence: 2 }, sha256)))
    const token = await keyWith(["license:read"])
    for (const path of ["/api/v1/events/epochs", "/api/v1/events/consistency?from=1"]) {
      refused(await service.call("GET", path, { token }), 403, "TOKEN_SCOPE_DENIED")
    }
    refused(await service.call("GET", "/api/v1/events/consistency?from=9&to=8"), 400, "INVALID_QUERY")
  })
})
