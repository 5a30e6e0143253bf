// Actions that need a second person: who is asked, who may approve, and that what is approved is done once, in both names.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { secondLooks, waysAround } from "../../../src/domain/log/SecondLook.ts"
import type { ApprovableOperation, SecondLookAction } from "../../../src/domain/log/SecondLook.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { openLookedDoors } from "../../fixtures/LookedDoors.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import type { SignedIn } from "../../fixtures/SignedIn.ts"

const service = await startService()
const other = await startService({ databaseUrl: service.databaseUrl })
const sql = await session(service.databaseUrl)
const { noJobRuns, passkeyOf, requests, somebody } = await openLookedDoors(service, sql)

const approvals = "/api/v1/approvals"
const reason = "Chargeback of order 4711"

const as = (person: SignedIn, method: string, path: string, body?: unknown, at = service): Promise<Answer> =>
  asPerson(at, person, method, path, body)

/** A role of its own that needs a second person for some actions. */
const roleAsking = async (second_look: ReadonlyArray<SecondLookAction>, more: object = {}): Promise<string> =>
  (await service.data("POST", "/api/v1/roles", { name: randomUUID(), scopes: ["admin"], second_look, ...more })).id

const every = [...new Set(Object.values(secondLooks))]
const asking = await roleAsking(every)
const jun = await signInAs(service, "Jun Sato", [asking])
const ada = await signInAs(service, "Ada Lovelace", ["owner"])
const bob = await signInAs(service, "Bob", ["owner"])

const licensed = async (): Promise<string> => (await service.issue()).license.id
/** Asserts a refusal that names a member. */
const invalid = (answer: Answer, path: string): void =>
  assert.include(refused(answer, 422, "VALIDATION_ERROR").fields.map((field: Body) => field.path), path)
const statusOf = async (id: string): Promise<string> => (await service.data("GET", `/api/v1/licenses/${id}`)).status

const ask = (person: SignedIn, body: object): Promise<Answer> => as(person, "POST", approvals, { reason, ...body })
const asked = async (body: object, person = jun): Promise<Body> => {
  const answer = await ask(person, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.body.data
}
const toRevoke = async (person = jun): Promise<Body> =>
  asked({ operation: "revokeLicense", params: { id: await licensed() } }, person)
const decide = (person: SignedIn, { id }: Body, how = "approve", at = service): Promise<Answer> =>
  as(person, "POST", `${approvals}/${id}/${how}`, how === "cancel" ? undefined : { reason: "Checked" }, at)
const read = (id: string): Promise<Body> => service.data("GET", `${approvals}/${id}`)

/** The request for an approval of a request: every one has at most an `id` in its path, and that of a user. */
const approvalOf = (operation: string, path: string, body?: object) => {
  const [id, user_id] = Array.from(path.matchAll(/\/(\w+_[0-9a-z]{26})(?=\/|$)/g), ([, name]) => name)
  const params = { id, ...(user_id === undefined ? {} : { user_id }) }
  return { operation, ...(id === undefined ? {} : { params }), ...(body === undefined ? {} : { body }) }
}

const direct = (
  person: SignedIn,
  [method, path, body]: readonly [string, string, object?],
  key: string = randomUUID()
) =>
  service.call(method, path, {
    token: null,
    headers: { "sec-fetch-site": "same-origin", cookie: person.cookie, "idempotency-key": key },
    ...(body === undefined ? {} : { body })
  })

describe("an action that needs a second person", () => {
  for (const [operation, action] of Object.entries(secondLooks)) {
    it(`${operation} is refused to whose role asks for ${action}, is done once approved, and answers whoever asked`, async () => {
      const request = await requests[operation as ApprovableOperation]()
      const [, path, body] = request
      refused(await direct(jun, request), 403, "APPROVAL_REQUIRED")
      const approval = await asked(approvalOf(operation, path, body))
      assert.deepInclude(approval, { operation, state: "pending", reason, ...(body === undefined ? {} : { body }) })
      refused(await direct(jun, request, approval.id), 403, "APPROVAL_REQUIRED")
      const decided = await decide(ada, approval)
      assert.strictEqual(decided.status, 200, decided.text)
      assert.deepInclude(decided.body.data, { state: "approved", decision_reason: "Checked" })
      assert.strictEqual(decided.body.data.decided_by.id, ada.id)
      assert.notMatch(decided.text, /csk_|csi_|whsec_|CS-/, "the second person gets no secret")
      const answer = await direct(jun, request, approval.id)
      assert.isBelow(answer.status, 300, answer.text)
      assert.strictEqual(answer.headers["idempotency-replayed"], "true")
    })

    it(`${operation} needs nobody where the role asks for another action, unless it leads around a second look`, async () => {
      const request = await requests[operation as ApprovableOperation]()
      const elsewhere = every.find((one) => one !== action)!
      const set = (second_look: ReadonlyArray<string>) =>
        service.data("PATCH", `/api/v1/roles/${asking}`, { second_look })
      await set([elsewhere])
      try {
        if (waysAround.includes(action)) {
          refused(await direct(jun, request), 403, "APPROVAL_REQUIRED")
          await set([])
        }
        const answer = await direct(jun, request)
        assert.isBelow(answer.status, 300, answer.text)
      } finally {
        await set(every)
      }
    })
  }

  it("by a filter is done to the licenses that it was asked for, and to no others", async () => {
    await noJobRuns()
    const tag = `t${randomUUID().slice(0, 8)}`
    const tagged = async (): Promise<string> => {
      const id = await licensed()
      await service.data("PATCH", `/api/v1/licenses/${id}`, { tags: [tag] })
      return id
    }
    const [stays, leaves] = [await tagged(), await tagged()]
    const body = { action: "revoke", selection: { filter: { tag } }, expected_total: 2 }
    const approval = await asked({ operation: "createLicenseJob", body })
    // As many as before, and another one among them.
    await service.data("PATCH", `/api/v1/licenses/${leaves}`, { tags: [] })
    const comes = await tagged()
    const { message } = refused(await decide(ada, approval), 409, "STATE_CONFLICT")
    assert.include(message, `no longer ${leaves}, but also ${comes}`)
    assert.strictEqual((await read(approval.id)).failure.code, "STATE_CONFLICT")
    for (const id of [stays, leaves, comes]) assert.notStrictEqual(await statusOf(id), "revoked")
    const again = await asked({ operation: "createLicenseJob", body })
    assert.notStrictEqual(again.id, approval.id, "the same filter is another request where it matches others")
    assert.strictEqual((await decide(ada, again)).status, 200)
    await eventually(
      "it is done",
      async () => await statusOf(comes) === "revoked" && await statusOf(stays) === "revoked"
    )
    assert.notStrictEqual(await statusOf(leaves), "revoked")
    await decide(ada, approval, "decline")
  })

  it("is approved in no session that the one who asked has opened", async () => {
    const ownerAsking = await roleAsking(["revoke_license"])
    const boss = await signInAs(service, "Boss", [ownerAsking])
    const approval = await toRevoke(boss)
    const { id } = await service.data("POST", "/api/v1/people", { name: "New owner", roles: ["owner"] })
    const { invitation } = await service.data("POST", `/api/v1/people/${id}/invite`)
    await sql.query(
      `UPDATE person_invitations SET opener_type = 'person', opener_id = '${boss.id}' WHERE person_id = '${id}'`
    )
    const opened = await service.call("POST", "/api/v1/sign-in", {
      token: null,
      headers: { "sec-fetch-site": "same-origin" },
      body: { invitation }
    })
    const cookie = String(opened.headers["set-cookie"]).split(";")[0]!
    const puppet = { id, name: "New owner", sessionId: opened.body.data.id, cookie }
    refused(await decide(puppet, approval), 409, "STATE_CONFLICT")
    // And what the inviter needs a second person for, the session does as well.
    refused(await as(puppet, "POST", `/api/v1/licenses/${await licensed()}/revoke`), 403, "APPROVAL_REQUIRED")
    assert.strictEqual((await decide(ada, approval)).status, 200)
  })

  it("is asked of nobody about an own passkey, and about one of another neither of whom lacks that person's rights", async () => {
    const lone = await signInAs(service, "Lone", [asking])
    const own = await passkeyOf(lone.id)
    assert.strictEqual((await as(lone, "DELETE", `/api/v1/passkeys/${own}`)).status, 204)
    const desk = await roleAsking(["revoke_license"], { scopes: ["people:write"] })
    const clerk = await signInAs(service, "Clerk", [desk])
    const ofOwner = await passkeyOf(ada.id)
    refused(await as(clerk, "DELETE", `/api/v1/passkeys/${ofOwner}`), 403, "TOKEN_SCOPE_DENIED")
    const approval = await asked({ operation: "deletePasskey", params: { id: await passkeyOf(await somebody()) } })
    const support = await signInAs(service, "Support", ["support"])
    refused(await decide(support, approval), 404, "NOT_FOUND")
    assert.strictEqual((await decide(ada, approval)).status, 200)
    await sql.query(`DELETE FROM passkeys WHERE id = '${ofOwner}'`)
  })

  it("is asked of no API key, for no dry run, and not for what is beside it", async () => {
    const id = await licensed()
    const dry = await as(jun, "POST", `/api/v1/licenses/${id}/rotate-key`, { dry_run: true })
    assert.strictEqual(dry.status, 200, dry.text)
    const selection = { ids: [id] }
    await noJobRuns()
    assert.strictEqual(
      (await direct(jun, ["POST", "/api/v1/licenses/jobs", { action: "tag", tags: ["a"], selection }])).status,
      201
    )
    assert.strictEqual((await as(jun, "POST", `/api/v1/licenses/${id}/suspend`)).status, 200)
    await service.data("POST", `/api/v1/licenses/${id}/revoke`)
    refused(
      await service.call("POST", approvals, { body: { operation: "revokeLicense", params: { id }, reason } }),
      403,
      "TOKEN_SCOPE_DENIED"
    )
  })

  it("is set for built-in roles too, which are otherwise as they are, and is asked by any role of a person", async () => {
    const set = (second_look: ReadonlyArray<string>) => service.data("PATCH", "/api/v1/roles/auditor", { second_look })
    const two = await signInAs(service, "Two", ["developer", "auditor"])
    const path = `/api/v1/licenses/${await licensed()}/revoke`
    assert.deepInclude(await set(["revoke_license"]), {
      id: "auditor",
      is_built_in: true,
      second_look: ["revoke_license"]
    })
    assert.deepStrictEqual((await as(two, "GET", "/api/v1/whoami")).body.data.second_look, [
      "revoke_license",
      ...waysAround
    ])
    refused(await as(two, "POST", path), 403, "APPROVAL_REQUIRED")
    const [event] = (await service.feed("&event_type=role.second_look_changed")).toReversed()
    assert.deepInclude(event!.data, { id: "auditor", second_look: ["revoke_license"] })
    assert.notProperty(await set([]), "second_look")
    assert.strictEqual((await as(two, "POST", path)).status, 200)
    refused(await service.call("PATCH", "/api/v1/roles/auditor", { body: { name: "Other" } }), 409, "STATE_CONFLICT")
  })
})

describe("what needs a second person", () => {
  it("is not switched off by whoever it is asked of, and for a built-in role is changed once under one If-Match", async () => {
    const path = "/api/v1/roles/finance"
    const etag = String((await service.call("GET", path)).headers["etag"])
    const change = (second_look: ReadonlyArray<string>) =>
      service.call("PATCH", path, { body: { second_look }, headers: { "if-match": etag } })
    const answers = await Promise.all([change(["revoke_license"]), change(["erase_customer"])])
    assert.sameMembers(answers.map(({ status }) => status), [200, 412])
    const role = await roleAsking(["revoke_license"])
    const eve = await signInAs(service, "Eve", [role])
    refused(await as(eve, "PATCH", `/api/v1/roles/${role}`, { second_look: [] }), 403, "APPROVAL_REQUIRED")
    refused(await as(eve, "PATCH", path, { second_look: [] }), 403, "APPROVAL_REQUIRED")
  })
})

describe("a request for a second person", () => {
  it("names both people, the approval and both reasons in what is done", async () => {
    const approval = await toRevoke()
    const id = approval.params.id
    assert.strictEqual(await statusOf(id), "active")
    const twice = await asked({ operation: "revokeLicense", params: { id } })
    assert.strictEqual(twice.id, approval.id, "the same request waits once")
    assert.strictEqual((await decide(ada, approval)).status, 200)
    assert.strictEqual((await decide(ada, approval)).status, 200, "repeating it succeeds")
    assert.strictEqual(await statusOf(id), "revoked")
    const revoked = (await service.feed(`&resource_id=${id}`)).filter(({ event_type }) =>
      event_type === "license.revoked"
    )
    assert.lengthOf(revoked, 1)
    assert.deepInclude(revoked[0]!, { actor_type: "person", actor_id: jun.id })
    assert.deepInclude(revoked[0]!.metadata, {
      actor_name: "Jun Sato",
      approval_id: approval.id,
      approved_by: ada.id,
      approver_name: "Ada Lovelace",
      reason_given: reason
    })
    const told = await service.feed(`&resource_id=${approval.id}`)
    assert.deepStrictEqual(
      told.map(({ actor_id, event_type, metadata }) => [event_type, actor_id, metadata.reason_given]),
      [["approval.requested", jun.id, reason], ["approval.approved", ada.id, "Checked"]]
    )
    assert.deepInclude(told[1]!.data, { requested_by: jun.id, decided_by: ada.id, state: "approved" })
    assert.notProperty(revoked[0]!, "ip_address", "the address is not that of the person who asked")
    assert.property(told[1]!, "ip_address", "the decision has the address of whoever decided")
  })

  it("about the erasure of a customer is done beside another one, and beside an erasure that needs nobody", async () => {
    const kim = await signInAs(service, "Kim", [asking])
    for (let round = 0; round < 3; round++) {
      const { id } = await service.data("POST", "/api/v1/customers", { name: "Gone", code: randomUUID() })
      const erase = { operation: "eraseCustomer", params: { id } }
      const [first, second] = [await asked(erase), await asked(erase, kim)]
      const answers = await Promise.all([
        decide(ada, first),
        decide(bob, second, "approve", other),
        other.call("POST", `/api/v1/customers/${id}/erase`)
      ])
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
        answers.map(({ text }) => text).join("\n")
      )
    }
    const [deadlocks] = await sql.query(
      "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()"
    )
    assert.deepInclude(deadlocks, { deadlocks: 0 })
  })

  it("is judged when it is asked for as the operation judges it", async () => {
    const id = await licensed()
    refused(await ask(jun, { operation: "revokeLicense", params: { id: "lic_none" } }), 404, "NOT_FOUND")
    invalid(await ask(jun, { operation: "revokeLicense" }), "params.id")
    invalid(await ask(jun, { operation: "revokeLicense", params: { id, key: "1" } }), "params.key")
    invalid(await ask(jun, { operation: "rotateLicenseKey", params: { id }, body: { dry_run: true } }), "body.dry_run")
    invalid(
      await ask(jun, { operation: "rotateLicenseKey", params: { id }, body: { overlap_minutes: -1 } }),
      "overlap_minutes"
    )
    const selection = { filter: { q: "lovelace" } }
    invalid(await ask(jun, { operation: "createLicenseJob", body: { action: "revoke", selection } }), "body.selection")
    invalid(
      await ask(jun, { operation: "updateWebhookEndpoint", params: { id: "whk_1" }, body: { secret: "whsec_1" } }),
      "body.secret"
    )
    const byTag = { action: "revoke", selection: { filter: { tag: "x" } } }
    invalid(await ask(jun, { operation: "createLicenseJob", body: byTag }), "body.expected_total")
    refused(await ask(jun, { operation: "deleteRole", params: { id: asking } }), 409, "IN_USE")
    refused(
      await ask(jun, { operation: "updateRole", params: { id: asking }, body: { name: "x" }, if_match: "\"old\"" }),
      412,
      "PRECONDITION_FAILED"
    )
    const support = await signInAs(service, "Support", ["support"])
    refused(await ask(support, { operation: "rotateSigningKey" }), 403, "TOKEN_SCOPE_DENIED")
    assert.strictEqual(await statusOf(id), "active")
  })

  it("is approved by nobody who asked, who lacks the scope, or who has it for other products", async () => {
    const approval = await toRevoke()
    refused(await decide(jun, approval), 409, "STATE_CONFLICT")
    const auditor = await signInAs(service, "Auditor", ["auditor"])
    refused(await decide(auditor, approval), 403, "TOKEN_SCOPE_DENIED")
    const finance = await signInAs(service, "Finance", ["finance"])
    refused(await decide(finance, approval), 404, "NOT_FOUND")
    const product = await makeProduct(service)
    const scopes = ["license:write"]
    const elsewhere = await signInAs(service, "Elsewhere", [
      await roleAsking([], { scopes, product_ids: [product.id] })
    ])
    refused(await decide(elsewhere, approval), 404, "NOT_FOUND")
    const { product_id } = await service.data("GET", `/api/v1/licenses/${approval.params.id}`)
    const here = await signInAs(service, "Here", [await roleAsking([], { scopes, product_ids: [product_id] })])
    const waiting = async (person: SignedIn) =>
      (await as(person, "GET", `${approvals}?awaiting_me=true`)).body.data.map(({ id }: Body) => id).includes(
        approval.id
      )
    assert.deepStrictEqual(await Promise.all([jun, auditor, elsewhere, here, ada].map(waiting)), [
      false,
      false,
      false,
      true,
      true
    ])
    refused(
      await service.call("POST", `${approvals}/${approval.id}/approve`, { body: { reason } }),
      403,
      "TOKEN_SCOPE_DENIED"
    )
    assert.strictEqual(await statusOf(approval.params.id), "active")
    assert.strictEqual((await decide(here, approval)).status, 200)
  })

  it("is not done once the person who asked has lost the right, or was removed", async () => {
    const mia = await signInAs(service, "Mia", [asking])
    const [first, second] = [await toRevoke(mia), await toRevoke(mia)]
    await service.data("PATCH", `/api/v1/people/${mia.id}`, { roles: ["auditor"] })
    refused(await decide(ada, first), 409, "STATE_CONFLICT")
    await service.data("DELETE", `/api/v1/people/${mia.id}`)
    refused(await decide(ada, second), 409, "STATE_CONFLICT")
    assert.deepStrictEqual(await Promise.all([first, second].map(({ params }) => statusOf(params.id))), [
      "active",
      "active"
    ])
  })

  it("is done once when two people approve it at two nodes at once", async () => {
    for (let round = 0; round < 3; round++) {
      const approval = await asked({ operation: "rotateLicenseKey", params: { id: await licensed() }, body: {} })
      const answers = await Promise.all([decide(ada, approval), decide(bob, approval, "approve", other)])
      assert.sameMembers(answers.map(({ status }) => status), [200, 409], answers.map(({ text }) => text).join("\n"))
      const rotated = await service.feed(`&resource_id=${approval.params.id}&event_type=license.key_rotated`)
      assert.lengthOf(rotated, 1)
      assert.strictEqual((await read(approval.id)).decided_by.id, rotated[0]!.metadata.approved_by)
    }
  })

  it("about people or roles is done beside another one, at whichever node", async () => {
    for (let round = 0; round < 2; round++) {
      const wanted = await Promise.all(
        [ada.id, bob.id].map((id, index) =>
          asked({ operation: "updatePerson", params: { id }, body: { email: `${index}${round}@example.com` } })
        )
      )
      const described = await Promise.all(
        ["a", "b"].map((text) =>
          asked({ operation: "updateRole", params: { id: asking }, body: { description: `${text}${round}` } })
        )
      )
      for (const [first, second] of [wanted, described]) {
        const answers = await Promise.all([decide(ada, first!), decide(bob, second!, "approve", other)])
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200],
          answers.map(({ text }) => text).join("\n")
        )
      }
      assert.notProperty(await read(wanted[0]!.id), "body", "it names a colleague")
    }
  })

  it("of several steps has begun for good with the first: it is neither declined nor canceled, and approved again", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { name: "Gone", code: randomUUID() })
    const { license } = await service.issue({ license: { customer_id: customer.id, customer_name: "Gone Buyer" } })
    const approval = await asked({ operation: "eraseCustomer", params: { id: customer.id } })
    await sql.query(`UPDATE approvals SET expires_at = now() + interval '1 minute' WHERE id = '${approval.id}'`)
    await sql.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`)
    await sql.query(`CREATE TRIGGER broken BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION fail()`)
    refused(await decide(ada, approval), 503, "UNAVAILABLE")
    await sql.query("DROP TRIGGER broken ON customers")
    assert.notProperty(await service.data("GET", `/api/v1/licenses/${license.id}`), "customer_name")
    const begun = await read(approval.id)
    assert.deepInclude(begun, { state: "pending", decision_reason: "Checked" })
    assert.strictEqual(begun.decided_by.id, ada.id)
    assert.isAbove(Date.parse(begun.expires_at), Date.parse(approval.expires_at) - 1, "it has a day for its end")
    refused(await decide(jun, approval, "cancel"), 409, "STATE_CONFLICT")
    refused(await decide(bob, approval, "decline"), 409, "STATE_CONFLICT")
    assert.strictEqual((await decide(bob, approval, "approve", other)).body.data.decided_by.id, bob.id)
    const erased = await service.feed(`&resource_id=${customer.id}&event_type=customer.erased`)
    assert.deepStrictEqual(erased.map(({ metadata }) => metadata.approved_by), [bob.id])
  })

  it("is one of at most a hundred that a person lets wait, and equal ones at once are one", async () => {
    const kim = await signInAs(service, "Kim", [asking])
    const body = { operation: "revokeLicense", params: { id: await licensed() } }
    const same = await Promise.all([ask(kim, body), as(kim, "POST", approvals, { reason, ...body }, other)])
    assert.lengthOf(new Set(same.map((answer) => answer.body.data.id)), 1)
    await sql.query(`
      INSERT INTO approvals (id, operation, params, requester_id, requester_name, requester_roles, expires_at)
      SELECT 'apr_many' || n, 'deleteRole', jsonb_build_object('id', n::text), '${kim.id}', 'Kim', '{}', now() + interval '1 hour'
      FROM generate_series(1, 99) n`)
    assert.strictEqual((await ask(kim, body)).body.data.id, same[0]!.body.data.id)
    refused(await ask(kim, { operation: "rotateSigningKey" }), 409, "STATE_CONFLICT")
    await sql.query("DELETE FROM approvals WHERE id LIKE 'apr_many%'")
    assert.strictEqual((await ask(kim, { operation: "rotateSigningKey" })).status, 201)
  })

  it("waits on with the reason where the operation is refused by then", async () => {
    const role = await roleAsking([])
    const approval = await asked({ operation: "deleteRole", params: { id: role } })
    const bearer = await service.data("POST", "/api/v1/people", { name: "Bearer", roles: [role] })
    const answer = await decide(ada, approval)
    refused(answer, 409, "STATE_CONFLICT")
    assert.strictEqual(answer.body.error.detail, "IN_USE")
    assert.deepInclude(await read(approval.id), {
      state: "pending",
      failure: { code: "IN_USE", message: "The role is in use." }
    })
    await service.data("PATCH", `/api/v1/people/${bearer.id}`, { roles: [] })
    assert.notProperty((await decide(ada, approval)).body.data, "failure")
  })

  it("keeps the precondition of the request", async () => {
    const role = await roleAsking([])
    const etag = String((await service.call("GET", `/api/v1/roles/${role}`)).headers["etag"])
    const body = { description: "Desk" }
    const approval = await asked({ operation: "updateRole", params: { id: role }, body, if_match: etag })
    await service.data("PATCH", `/api/v1/roles/${role}`, { description: "Meanwhile" })
    assert.strictEqual((await decide(ada, approval)).body.error.detail, "PRECONDITION_FAILED")
    assert.strictEqual((await service.data("GET", `/api/v1/roles/${role}`)).description, "Meanwhile")
  })

  it("is declined by another with a reason, and canceled by whoever asked; neither is approved any more", async () => {
    const [first, second] = [await toRevoke(), await toRevoke()]
    invalid(await as(ada, "POST", `${approvals}/${first.id}/decline`, {}), "reason")
    refused(await decide(jun, first, "decline"), 409, "STATE_CONFLICT")
    assert.deepInclude((await decide(ada, first, "decline")).body.data, {
      state: "declined",
      decision_reason: "Checked"
    })
    refused(await decide(ada, second, "cancel"), 403, "TOKEN_SCOPE_DENIED")
    assert.strictEqual((await decide(jun, second, "cancel")).body.data.state, "canceled")
    assert.strictEqual((await as(jun, "POST", `${approvals}/${second.id}/cancel`)).status, 200)
    for (const approval of [first, second]) {
      refused(await decide(ada, approval), 409, "STATE_CONFLICT")
      assert.strictEqual(await statusOf(approval.params.id), "active")
      assert.lengthOf(await service.feed(`&resource_id=${approval.id}`), 2)
    }
  })

  it("expires in a day, and is not approved from then on", async () => {
    const approval = await toRevoke()
    assert.strictEqual(Date.parse(approval.expires_at) - Date.parse(approval.created_at), 86_400_000)
    await sql.query(`UPDATE approvals SET expires_at = now() WHERE id = '${approval.id}'`)
    refused(await decide(ada, approval), 409, "STATE_CONFLICT")
    await eventually("it expires", async () => (await read(approval.id)).state === "expired")
    const told = await service.feed(`&resource_id=${approval.id}`)
    assert.deepInclude(told[1]!, { event_type: "approval.expired", actor_type: "system" })
    assert.strictEqual(await statusOf(approval.params.id), "active")
  })

  it("loses its reason with the erasure of the customer whose license it is about", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { name: "Ada", code: randomUUID() })
    const { license } = await service.issue({ license: { customer_id: customer.id } })
    const secret = `asked by ${randomUUID()}`
    const body = { overlap_minutes: 5, reason: secret }
    const about = { operation: "rotateLicenseKey", params: { id: license.id }, body, reason: secret }
    const approval = (await as(jun, "POST", approvals, about)).body.data
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    const after = await read(approval.id)
    assert.deepStrictEqual([after.reason, after.body], [undefined, { overlap_minutes: 5 }])
    assert.notInclude(JSON.stringify(await service.feed(`&resource_id=${approval.id}`)), secret)
    assert.strictEqual((await decide(ada, approval)).status, 200)
    const key = await direct(jun, ["POST", `/api/v1/licenses/${license.id}/rotate-key`, after.body], approval.id)
    assert.match(key.body.data.license_key, /^CS-/, "whoever asked still gets the key")
  })

  it("loses its reason with that erasure, too, where it is about a job with a license of the customer", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { name: "Ada", code: randomUUID() })
    const { license, product } = await service.issue({ license: { customer_id: customer.id } })
    const secret = `asked by ${randomUUID()}`
    const job = (selection: object, more: object = {}) => ({
      operation: "createLicenseJob",
      body: { action: "revoke", selection, ...more },
      reason: secret
    })
    const byId = await asked(job({ ids: [license.id] }, { reason: secret }))
    const byFilter = await asked(job({ filter: { product_id: product.id } }, { expected_total: 1 }))
    await noJobRuns()
    assert.strictEqual((await decide(ada, byFilter)).status, 200)
    await noJobRuns()
    const erase = `/api/v1/customers/${customer.id}/erase`
    const foreseen: Body = await service.data("POST", erase, { dry_run: true })
    const counted: Body = await service.data("POST", erase)
    assert.strictEqual(counted.reasons, foreseen.reasons)
    for (const { id } of [byId, byFilter]) {
      assert.notInclude(JSON.stringify([await read(id), await service.feed(`&resource_id=${id}`)]), secret)
    }
  })
})
