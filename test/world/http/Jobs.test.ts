// Actions on many licenses as a job: which licenses, in whose name, what became of each, and that each is done once.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { singleOperations } from "../../../src/domain/jobs/LicenseJob.ts"
import { neededScopes } from "../../fixtures/OperationScopes.ts"
import type { CallOptions } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"

takeTurns()

const service = await startService()
const issued = await service.issue()
const database = await session(service.databaseUrl)
const once = () => ({ "idempotency-key": randomUUID() })
const rolesOf = (id: string, roles: ReadonlyArray<string>) =>
  service.call("PATCH", `/api/v1/people/${id}`, { body: { roles } })

/** Licenses of one policy with a tag of their own. */
const issue = async (many: number, more: object = {}): Promise<{ ids: ReadonlyArray<string>; tag: string }> => {
  const tag = randomUUID()
  const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
    defaults: { product_id: issued.product.id, policy_id: issued.policy.id, tags: [tag], ...more },
    licenses: Array.from({ length: many }, () => ({}))
  })
  return { ids: results.map(({ license }: Body) => license.id).toReversed(), tag }
}
/** A key, so that each test has a caller of its own: one caller has one job at a time. */
const caller = async (more: object = {}): Promise<{ id: string; token: string }> => {
  const { api_key, token } = await service.data("POST", "/api/v1/api-keys", {
    name: "Desk",
    scopes: ["license:write"],
    ...more
  })
  return { id: api_key.id, token }
}
const ask = (token: string, body: object, more: CallOptions = {}) =>
  service.call("POST", "/api/v1/licenses/jobs", { body, token, headers: once(), ...more })
const begun = async (token: string, body: object): Promise<Body> => {
  const answer = await ask(token, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.body.data.job
}
const read = (id: string): Promise<Body> => service.data("GET", `/api/v1/jobs/${id}`)
const ended = (id: string): Promise<Body> =>
  eventually("the job ends", async () => {
    const job = await read(id)
    return job.state === "running" ? undefined : job
  })
const rows = async (id: string, outcome = ""): Promise<ReadonlyArray<Body>> =>
  service.data("GET", `/api/v1/jobs/${id}/rows?limit=200${outcome === "" ? "" : `&outcome=${outcome}`}`)
const statuses = async (ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Promise.all(ids.map(async (id) => (await service.data("GET", `/api/v1/licenses/${id}`)).status))

describe("a job", () => {
  it("does to each license of a filter what the single operation does, with its event, reason and job", async () => {
    const { ids, tag } = await issue(25)
    await service.data("POST", `/api/v1/licenses/${ids[3]}/suspend`)
    await service.data("POST", `/api/v1/licenses/${ids[4]}/revoke`)
    const { id: keyId, token } = await caller()
    const wanted = { action: "suspend", selection: { filter: { tag } }, reason: "Chargebacks of May" }
    const foreseen = (await ask(token, { ...wanted, dry_run: true })).body.data
    assert.notProperty(foreseen, "job")
    assert.deepStrictEqual(foreseen.preview, {
      matched: 25,
      judged: 25,
      done: 23,
      skipped: 1,
      failed: 1,
      of_purchases: 0,
      reasons: [
        { outcome: "skipped", code: "ALREADY", message: "The license is suspended already.", licenses: 1 },
        {
          outcome: "failed",
          code: "STATE_CONFLICT",
          message: "Only a license that works can be suspended.",
          licenses: 1
        }
      ]
    })
    assert.strictEqual((await statuses(ids)).filter((status) => status === "active").length, 23, "nothing is kept")
    const job = await begun(token, wanted)
    assert.deepInclude(job, {
      action: "suspend",
      selection: { filter: { tag } },
      parameters: {},
      reason: "Chargebacks of May",
      author: { type: "api_key", id: keyId, name: "Desk" },
      state: "running",
      total: 25
    })
    const done = await ended(job.id)
    assert.deepInclude(done, { state: "done", total: 25, done: 23, skipped: 1, failed: 1 })
    const all = await rows(job.id)
    assert.deepStrictEqual(all.map(({ license_id }) => license_id), [...ids], "newest first, as the list")
    assert.deepStrictEqual(await rows(job.id, "skipped"), [all[3]])
    assert.deepInclude(all[3], {
      outcome: "skipped",
      failure: { code: "ALREADY", message: "The license is suspended already." }
    })
    assert.strictEqual(all[4]!.failure.code, "STATE_CONFLICT")
    assert.deepStrictEqual(await rows(job.id, "pending"), [])
    const events = (await service.feed("&event_type=license.suspended")).filter(({ metadata }) =>
      metadata.job_id === job.id
    )
    assert.sameMembers(
      events.map(({ resource_id }) => resource_id),
      ids.filter((_, index) => index !== 3 && index !== 4)
    )
    for (const { actor_id, actor_type, metadata } of events) {
      assert.deepStrictEqual([actor_type, actor_id, metadata.reason_given], ["api_key", keyId, "Chargebacks of May"])
    }
    const told = await service.feed(`&resource_id=${job.id}`)
    assert.deepStrictEqual(told.map(({ event_type }) => event_type), ["job.created", "job.done"])
    // Its end is the service's own, and for nobody's reason, whichever node it ran on.
    assert.deepStrictEqual(told.map(({ actor_type }) => actor_type), ["api_key", "system"])
    assert.notProperty(told[1]!.metadata, "reason_given")
    assert.notInclude(JSON.stringify(told.map(({ data }) => data)), tag, "a selection may name a customer")
    assert.include((await service.data("GET", "/api/v1/jobs")).map(({ id }: Body) => id), job.id)
  })

  it("renews, changes the policy, tags, untags, reinstates and revokes", async () => {
    const { ids } = await issue(2, { expires_at: "2090-01-01T00:00:00Z" })
    const { token } = await caller({ scopes: ["license:write", "product:write"] })
    const office = await service.data("POST", `/api/v1/products/${issued.product.id}/policies`, {
      name: "Office",
      code: randomUUID(),
      license_type: "subscription"
    })
    const steps: ReadonlyArray<readonly [object, (license: Body) => unknown, unknown]> = [
      [{ action: "tag", tags: ["VIP", "beta"] }, ({ tags }) => tags.slice(1), ["vip", "beta"]],
      [{ action: "untag", tags: ["beta", "none"] }, ({ tags }) => tags.slice(1), ["vip"]],
      [{ action: "suspend" }, ({ status }) => status, "suspended"],
      [{ action: "reinstate" }, ({ status }) => status, "active"],
      [{ action: "change_policy", change_policy: { policy_id: office.id } }, ({ policy_id }) => policy_id, office.id],
      [
        { action: "renew", renew: { extend_by_days: 1 } },
        ({ expires_at }) => expires_at,
        "2090-01-02T00:00:00.000Z"
      ],
      [{ action: "revoke" }, ({ status }) => status, "revoked"]
    ]
    for (const [what, of, expected] of steps) {
      const job = await begun(token, { ...what, selection: { ids } })
      assert.deepInclude(await ended(job.id), { state: "done", done: 2, failed: 0 }, JSON.stringify(await rows(job.id)))
      for (const id of ids) assert.deepStrictEqual(of(await service.data("GET", `/api/v1/licenses/${id}`)), expected)
    }
    // The tags that a license has already, and one under the policy already, are skipped.
    for (const what of [{ action: "revoke" }, { action: "untag", tags: ["none"] }]) {
      assert.deepInclude(await ended((await begun(token, { ...what, selection: { ids } })).id), { skipped: 2, done: 0 })
    }
  })

  it("has the scopes of the single operation for each action", () => {
    for (const operation of Object.values(singleOperations)) {
      assert.deepStrictEqual(neededScopes.get(operation)?.scopes, neededScopes.get("createLicenseJob")?.scopes)
    }
  })

  it("takes either ids or a filter, and what its action needs", async () => {
    const { token } = await caller()
    const selection = { ids: [issued.license.id] }
    for (
      const body of [
        { action: "suspend", selection: {} },
        { action: "suspend", selection: { ...selection, filter: {} } },
        { action: "suspend", selection: { ids: [] } },
        { action: "suspend", selection, tags: ["a"] },
        { action: "tag", selection },
        { action: "change_policy", selection },
        { action: "delete", selection }
      ]
    ) refused(await ask(token, body), 422, "VALIDATION_ERROR")
    refused(await ask(token, { action: "suspend", selection }, { headers: {} }), 400, "IDEMPOTENCY_KEY_REQUIRED")
    refused(await service.call("GET", "/api/v1/jobs/job_none"), 404, "NOT_FOUND")
  })

  it("tries the failed licenses again, once it has ended", async () => {
    const { ids } = await issue(2)
    await service.data("POST", `/api/v1/licenses/${ids[1]}/revoke`)
    const { token } = await caller()
    const job = await begun(token, { action: "suspend", selection: { ids } })
    assert.deepInclude(await ended(job.id), { done: 1, failed: 1 })
    const retried = await service.call("POST", `/api/v1/jobs/${job.id}/retry`, { token, headers: once() })
    assert.strictEqual(retried.status, 201, retried.text)
    assert.deepInclude(retried.body.data, { repeats: job.id, total: 1 })
    const again = await ended(retried.body.data.id)
    assert.deepInclude(again, { state: "done", failed: 1 })
    assert.deepStrictEqual((await rows(again.id)).map(({ license_id }) => license_id), [ids[1]])
    const fine = await begun(token, { action: "reinstate", selection: { ids: [ids[0]] } })
    await ended(fine.id)
    refused(
      await service.call("POST", `/api/v1/jobs/${fine.id}/retry`, { token, headers: once() }),
      409,
      "STATE_CONFLICT"
    )
  })

  it("is repeated once, so that no license is renewed twice", async () => {
    const { token } = await caller()
    const policy = await service.data("POST", `/api/v1/products/${issued.product.id}/policies`, {
      name: "Without a term",
      code: randomUUID(),
      license_type: "subscription"
    })
    const { ids } = await issue(1, { policy_id: policy.id, expires_at: "2090-01-01T00:00:00Z" })
    const job = await begun(token, { action: "renew", selection: { ids } })
    assert.deepInclude(await ended(job.id), { failed: 1 })
    await service.data("PATCH", `/api/v1/policies/${policy.id}`, { duration: "P1Y" })
    const retry = () => service.call("POST", `/api/v1/jobs/${job.id}/retry`, { token, headers: once() })
    const first = await retry()
    assert.strictEqual(first.status, 201, first.text)
    assert.deepInclude(await ended(first.body.data.id), { done: 1 })
    const second = refused(await retry(), 409, "STATE_CONFLICT")
    assert.strictEqual(second.detail, first.body.data.id)
    assert.strictEqual((await read(job.id)).repeated_by, first.body.data.id)
    const license = await service.data("GET", `/api/v1/licenses/${ids[0]}`)
    assert.strictEqual(license.expires_at, "2091-01-01T00:00:00.000Z")
  })

  it("is not started where the selection is another one than was confirmed", async () => {
    const { tag } = await issue(3)
    const { token } = await caller()
    const wanted = { action: "suspend", selection: { filter: { tag } } }
    assert.strictEqual(refused(await ask(token, { ...wanted, expected_total: 2 }), 409, "STATE_CONFLICT").detail, "3")
    assert.deepInclude(await ended((await begun(token, { ...wanted, expected_total: 3 })).id), { done: 3 })
  })

  it("names the licenses that are not there when it is asked for", async () => {
    const { token } = await caller()
    for (const dry_run of [true, false]) {
      const selection = { ids: [issued.license.id, "lic_0000000000000000000000000z"] }
      invalid(await ask(token, { action: "suspend", selection, dry_run }), "selection.ids.1", "not_found")
    }
  })
})

describe("a running job", () => {
  /** A job that waits at its first license, which somebody holds. */
  const waiting = async (many: number, token: string) => {
    const { ids, tag } = await issue(many)
    const held = await hold(service.databaseUrl, "SELECT 1 FROM licenses WHERE id = ANY($1::text[]) FOR UPDATE", [
      ids.slice(0, 2)
    ])
    const job = await begun(token, { action: "suspend", selection: { filter: { tag } } })
    await held.blocked(2)
    return { held, ids, job, tag }
  }

  it("is the only one of its caller, and others have theirs", async () => {
    const [one, two] = [await caller(), await caller()]
    const { held, job } = await waiting(3, one.token)
    const other = { action: "suspend", selection: { ids: [issued.license.id] } }
    assert.include(refused(await ask(one.token, other), 409, "STATE_CONFLICT").detail, job.id)
    await ended((await begun(two.token, other)).id)
    await held.release()
    assert.deepInclude(await ended(job.id), { state: "done", done: 3 })
  })

  it("is stopped between licenses, and what is left stays as it was", async () => {
    const { token } = await caller()
    const { held, ids, job } = await waiting(40, token)
    const stopping = service.call("POST", `/api/v1/jobs/${job.id}/stop`, { token })
    await held.release()
    const stopped = (await stopping).body.data
    assert.strictEqual(stopped.state, "stopped")
    assert.isBelow(stopped.done, 40)
    const left = (await rows(job.id, "pending")).map(({ license_id }) => license_id)
    assert.lengthOf(left, 40 - stopped.done)
    assert.strictEqual((await statuses(ids)).filter((status) => status === "active").length, left.length)
    assert.strictEqual((await service.data("POST", `/api/v1/jobs/${job.id}/stop`)).state, "stopped")
    const told = await service.feed(`&resource_id=${job.id}`)
    assert.deepStrictEqual(told.map(({ event_type }) => event_type), ["job.created", "job.stopped"])
  })

  it("ends when its caller loses the right to it, before the next license", async () => {
    const { id, token } = await caller()
    const { held, ids, job } = await waiting(40, token)
    await service.call("DELETE", `/api/v1/api-keys/${id}`)
    await held.release()
    const failed = await ended(job.id)
    assert.deepInclude(failed, { state: "failed" })
    assert.strictEqual(failed.failure.code, "TOKEN_SCOPE_DENIED")
    assert.isBelow(failed.done, 40)
    assert.strictEqual((await statuses(ids)).filter((status) => status === "suspended").length, failed.done)
  })

  it.each(
    [
      ["is removed", (id: string) => service.call("DELETE", `/api/v1/people/${id}`), "failed"],
      ["has another role", (id: string) => rolesOf(id, ["finance"]), "failed"],
      [
        "has another role that has the right, too, without a session",
        (id: string) => rolesOf(id, ["developer"]),
        "done"
      ]
    ] as const
  )("goes by the rights that its person has at each license, who %s meanwhile", async (_what, change, state) => {
    const person = await signInAs(service, "Jun Sato", ["support"])
    const { ids, tag } = await issue(40)
    const held = await hold(service.databaseUrl, "SELECT 1 FROM licenses WHERE id = ANY($1::text[]) FOR UPDATE", [
      ids.slice(0, 2)
    ])
    const answer = await service.call("POST", "/api/v1/licenses/jobs", {
      token: null,
      headers: { ...once(), "sec-fetch-site": "same-origin", cookie: person.cookie },
      body: { action: "suspend", selection: { filter: { tag } } }
    })
    assert.strictEqual(answer.status, 201, answer.text)
    await held.blocked(2)
    assert.isBelow((await change(person.id)).status, 300)
    assert.strictEqual((await asPerson(service, person, "GET", "/api/v1/whoami")).status, 401)
    await held.release()
    const after = await ended(answer.body.data.job.id)
    assert.strictEqual(after.state, state)
    assert.strictEqual(after.failure?.code, state === "failed" ? "TOKEN_SCOPE_DENIED" : undefined)
    // Two licenses were under way.
    assert.isTrue(state === "done" ? after.done === 40 : after.done <= 2, `${after.done} are done`)
    assert.strictEqual((await statuses(ids)).filter((status) => status === "suspended").length, after.done)
  })

  it.each(["40001", "40P01", "55P03", "57014", "57P03", "08006"])(
    "tries a license again whose transaction fails with %s, and so does a dry run",
    async (state) => {
      const { ids: [id = ""] } = await issue(1)
      const { token } = await caller()
      const name = `passing_${state.toLowerCase()}`
      const fails = async (times: number) => {
        await database.query(`CREATE SEQUENCE ${name}`)
        await database.query(`
          CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('${name}') <= ${times} THEN RAISE EXCEPTION 'passing' USING ERRCODE = '${state}'; END IF;
            RETURN NEW;
          END $$`)
        await database.query(`CREATE TRIGGER ${name} BEFORE UPDATE ON licenses FOR EACH ROW
          WHEN (NEW.id = '${id}') EXECUTE FUNCTION ${name}()`)
        return async () => {
          await database.query(`DROP TRIGGER ${name} ON licenses`)
          await database.query(`DROP FUNCTION ${name}()`)
          await database.query(`DROP SEQUENCE ${name}`)
        }
      }
      const wanted = { action: "suspend", selection: { ids: [id] } }
      const heal = await fails(1)
      assert.deepInclude((await ask(token, { ...wanted, dry_run: true })).body.data?.preview, { done: 1, failed: 0 })
      await heal()
      // More often than one look tries it: the row stays pending for the next one.
      const healMore = await fails(3)
      const job = await begun(token, wanted)
      assert.deepInclude(await ended(job.id), { state: "done", done: 1, failed: 0 })
      await healMore()
    }
  )

  it("is done once for each license, by two nodes of which one leaves in the middle of it", async () => {
    const second = await startService({ databaseUrl: service.databaseUrl })
    const made = await Promise.all([service, second, service, second].map(async (at) => {
      const { ids } = await issue(60)
      const { token } = await caller()
      const body = { action: "suspend", selection: { ids } }
      const answer = await at.call("POST", "/api/v1/licenses/jobs", { body, token, headers: once() })
      assert.strictEqual(answer.status, 201, answer.text)
      return { id: answer.body.data.job.id, ids }
    }))
    await eventually("some are done", async () => (await read(made[0]!.id)).done > 5)
    await second.stop()
    for (const { id, ids } of made) {
      assert.deepInclude(await ended(id), { state: "done", done: 60, skipped: 0, failed: 0 })
      const events = (await service.feed("&event_type=license.suspended")).filter(({ metadata }) =>
        metadata.job_id === id
      )
      assert.sameMembers(events.map(({ resource_id }) => resource_id), [...ids])
    }
  })

  it("skips a license that has left the filter, and takes none that came to match", async () => {
    const { token } = await caller()
    const { held, ids, job, tag } = await waiting(30, token)
    await service.data("PATCH", `/api/v1/licenses/${ids[29]}`, { tags: null })
    const late = (await service.data("POST", "/api/v1/licenses", {
      product_id: issued.product.id,
      policy_id: issued.policy.id,
      tags: [tag]
    })).license
    await held.release()
    assert.deepInclude(await ended(job.id), { total: 30, done: 29, skipped: 1 })
    assert.strictEqual((await rows(job.id, "skipped"))[0]!.failure.code, "LEFT_SELECTION")
    assert.deepStrictEqual(await statuses([ids[29]!, late.id]), ["active", "active"])
  })
})

describe("the job of a limited key", () => {
  it("reaches its products alone, by a filter and by ids, and is seen by those who may see them", async () => {
    const { ids, tag } = await issue(2)
    const other = await service.issue()
    await service.data("PATCH", `/api/v1/licenses/${other.license.id}`, { tags: [tag] })
    const limited = await caller({ product_ids: [issued.product.id] })
    const foreign = await caller({ product_ids: [other.product.id] })
    const byFilter = await begun(limited.token, { action: "suspend", selection: { filter: { tag } } })
    assert.deepInclude(await ended(byFilter.id), { total: 2, done: 2 })
    const beyond = { action: "suspend", selection: { ids: [...ids, other.license.id] } }
    invalid(await ask(limited.token, beyond), "selection.ids.2", "not_found")
    const byIds = await begun(limited.token, { action: "suspend", selection: { ids } })
    assert.deepInclude(await ended(byIds.id), { skipped: 2 })
    assert.deepStrictEqual(await statuses([other.license.id]), ["active"])
    refused(await service.call("GET", `/api/v1/jobs/${byIds.id}`, { token: foreign.token }), 404, "NOT_FOUND")
    refused(await service.call("GET", `/api/v1/jobs/${byIds.id}/rows`, { token: foreign.token }), 404, "NOT_FOUND")
    refused(await service.call("POST", `/api/v1/jobs/${byIds.id}/stop`, { token: foreign.token }), 404, "NOT_FOUND")
    assert.deepStrictEqual((await service.call("GET", "/api/v1/jobs", { token: foreign.token })).body.data, [])
  })
})

describe("an erasure", () => {
  it("takes the reason of a job and what its filter says of people, where it had a license of the customer", async () => {
    const customer = await service.data("POST", "/api/v1/customers", {
      name: "Ada",
      code: randomUUID(),
      email: "ada@x.test"
    })
    await issue(1, { customer_id: customer.id })
    const { token } = await caller()
    const job = await begun(token, {
      action: "suspend",
      selection: { filter: { customer_email: "ada@x.test", status: "active" } },
      reason: "Ada asked"
    })
    assert.deepInclude(await ended(job.id), { done: 1 })
    await service.feed()
    const path = `/api/v1/customers/${customer.id}/erase`
    const { customer: _shown, ...foreseen } = await service.data("POST", path, { dry_run: true })
    const { customer: _left, ...erased } = await service.data("POST", path, {})
    assert.deepStrictEqual(erased, foreseen, "a dry run counts what is erased")
    // The job was asked for with a reason, and so was what it did to the license.
    assert.deepInclude(erased, { jobs: 1, reasons: 2 })
    const after = await read(job.id)
    assert.deepStrictEqual(after.selection, { filter: { status: "active" } })
    assert.notProperty(after, "reason")
    const told = [
      ...await service.feed(`&resource_id=${job.id}`),
      ...(await service.data("GET", `/api/v1/activities?limit=200`)).filter(({ resource_id }: Body) =>
        resource_id === job.id
      )
    ]
    assert.isNotEmpty(told)
    assert.notInclude(JSON.stringify(told), "Ada asked")
  })

  it("and a job on the licenses of the customer wait for each other, and both end", async () => {
    const deadlocks = async () => {
      const [row] = await database.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
      return Number(row.deadlocks)
    }
    const before = await deadlocks()
    // Unlike any salt or hash of an event.
    const name = `Mia ${randomUUID()}`
    const customer = await service.data("POST", "/api/v1/customers", { name, code: randomUUID() })
    const { ids } = await issue(200, { customer_id: customer.id, customer_name: name })
    const { token } = await caller()
    const job = await begun(token, { action: "suspend", selection: { ids }, reason: `${name} asked` })
    await eventually("the job has begun", async () => (await read(job.id)).done > 0)
    const erasures = await Promise.all(
      [0, 1].map(() => service.call("POST", `/api/v1/customers/${customer.id}/erase`, { body: {} }))
    )
    assert.deepStrictEqual(erasures.map(({ status }) => status), [200, 200])
    const after = await ended(job.id)
    const others = await database.query("SELECT * FROM job_rows WHERE job_id = $1 AND outcome <> 'done'", [job.id])
    assert.deepInclude(after, { state: "done", done: 200, failed: 0 }, JSON.stringify(others))
    assert.notProperty(after, "reason")
    assert.strictEqual(await deadlocks(), before)
    const left = (await service.feed()).filter((event) => JSON.stringify(event).includes(name))
    assert.deepStrictEqual(left.map(({ event_type, metadata }) => [event_type, metadata]), [])
  })

  it("is done with a license that another transaction wrote in the same millisecond", async () => {
    const { ids } = await issue(2)
    const [again, first] = ids as [string, string]
    await service.data("POST", `/api/v1/licenses/${again}/suspend`)
    // As where both transactions began at one time.
    await database.query(`CREATE FUNCTION same_time() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.updated_at = OLD.updated_at; RETURN NEW; END $$`)
    await database.query(`CREATE TRIGGER same_time BEFORE UPDATE ON licenses FOR EACH ROW WHEN (OLD.id = '${first}')
      EXECUTE FUNCTION same_time()`)
    const { token } = await caller()
    const after = await ended((await begun(token, { action: "suspend", selection: { ids } })).id)
    await database.query("DROP TRIGGER same_time ON licenses")
    await database.query("DROP FUNCTION same_time")
    assert.deepInclude(after, { state: "done", done: 1, skipped: 1, failed: 0 })
  })

  it("stops a running job whose filter names the customer, before it takes other licenses", async () => {
    const email = `${randomUUID()}@x.test`
    const customer = await service.data("POST", "/api/v1/customers", { name: "Eve", code: randomUUID(), email })
    const { ids } = await issue(30, { customer_id: customer.id })
    const { token } = await caller()
    const held = await hold(service.databaseUrl, "SELECT 1 FROM licenses WHERE id = ANY($1::text[]) FOR UPDATE", [
      ids.slice(0, 2)
    ])
    const job = await begun(token, { action: "suspend", selection: { filter: { customer_email: email } } })
    await held.blocked(2)
    const erasing = service.data("POST", `/api/v1/customers/${customer.id}/erase`, {})
    await held.release()
    await erasing
    const after = await ended(job.id)
    assert.include(["stopped", "done"], after.state)
    assert.deepStrictEqual(after.selection, { filter: {} })
    if (after.state === "stopped") assert.strictEqual(after.failure.code, "ERASED")
    assert.strictEqual((await statuses(ids)).filter((status) => status === "suspended").length, after.done)
  })
})
