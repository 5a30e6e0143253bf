// Random lives of requests for a second person, each judged by a program that was written from the documents.
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Result, Struct } from "effect"
import { failing, NotFound, PreconditionFailed } from "../../../../src/domain/ground/wire/Errors.ts"
import type { EventKind } from "../../../../src/domain/log/EventKind.ts"
import { SecondLookAction } from "../../../../src/domain/log/SecondLook.ts"
import { lookedAt } from "../../../../src/domain/log/SecondPerson.ts"
import { approvalReach } from "../../../../src/domain/people/approvals/ApprovalReach.ts"
import type { OperationScopes } from "../../../../src/domain/people/approvals/ApprovalReach.ts"
import { Database, inTransaction } from "../../../../src/services/ground/persistence/Database.ts"
import { CurrentProducts } from "../../../../src/services/ground/persistence/ProductLimit.ts"
import { Events } from "../../../../src/services/log/Events.ts"
import type { Actor } from "../../../../src/services/log/Provenance.ts"
import {
  CurrentActor,
  CurrentJob,
  CurrentReason,
  CurrentSecondPerson,
  customerActor,
  isUnasked,
  RequestOrigin
} from "../../../../src/services/log/Provenance.ts"
import { Approvals } from "../../../../src/services/people/approvals/Approvals.ts"
import { ApprovalSweeper } from "../../../../src/services/people/approvals/ApprovalSweeper.ts"
import { standingRights } from "../../../../src/services/people/StandingRights.ts"
import type { Asked, OracleOperation } from "../../../fixtures/ApprovalOracle.ts"
import { ApprovalOracle, oracleRoles, oracleScopes } from "../../../fixtures/ApprovalOracle.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { chance } from "../../../fixtures/Seeded.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = Layer.mergeAll(Approvals.layer, ApprovalSweeper.layer).pipe(
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget)
)

const steps = 120

/** The refusal that work died with, which the edge answers. */
const refusalOf = (exit: Exit.Exit<unknown, unknown>) => {
  const found = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isDieReason)?.defect : undefined
  return isUnasked(found) ? found.error : assert.fail(String(exit))
}
const people = ["ada", "bob", "cleo", "dan", "eve"]
const roleSets: ReadonlyArray<ReadonlyArray<keyof typeof oracleRoles>> = [
  ["all"],
  ["all"],
  ["desk"],
  ["desk", "staff"],
  ["desk_a"],
  ["desk_a", "staff"],
  ["reader", "stranger"],
  ["stranger"],
  []
]

const operations: OperationScopes = new Map(
  (["eraseCustomer", "revokeLicense", "rotateSigningKey", "updatePerson"] as const)
    .map((operation) => [operation, [oracleScopes[operation]]])
)

const { upTo } = chance("lives of approvals")
const below = (count: number) => Math.floor(upTo(count))
const pick = <A>(values: ReadonlyArray<A>): A => values[below(values.length)]!

/** What is asked of the service, by the person who acts, as the operations of the contract ask it. */
const makeDoor = Effect.gen(function*() {
  const approvals = yield* Approvals
  const events = yield* Events
  const sql = yield* Database

  /** What a person says with the rights of this moment; nobody speaks for one who was removed. */
  const acting = Effect.fnUntraced(function*(person: string) {
    return yield* standingRights(sql, { type: "person", id: `per_${person}` }, [])
  })
  const reachOf = ({ id, person }: Actor) => approvalReach(id, person?.grants ?? [], operations)

  /** Changes the target once, if it is as whoever asked has seen it. */
  const work = Effect.fnUntraced(function*({ ifMatch, target }: Asked) {
    const products = yield* CurrentProducts
    const [row] = yield* sql<{ readonly version: number; readonly product_id: string | null }>`
      SELECT version, product_id FROM targets WHERE id = ${target}`
    if (row === undefined || (products !== undefined && !products.includes(row.product_id ?? ""))) {
      return yield* failing(NotFound, "There is no such target.")
    }
    if (ifMatch !== undefined && ifMatch !== String(row.version)) {
      return yield* failing(PreconditionFailed, "The target was changed.")
    }
    yield* sql`UPDATE targets SET version = version + 1 WHERE id = ${target}`
    yield* events.append({ type: "license.revoked", resourceId: target, data: { target } })
    return row.version
  })

  const requestOf = ({ body, ifMatch, operation, target }: Asked) => ({
    operation,
    params: operation === "rotateSigningKey" ? {} : { id: target },
    body,
    ifMatch,
    reason: "asked"
  })

  const judged = Effect.fnUntraced(function*(id: string, actor: Actor) {
    const { approval, body } = yield* approvals.toDecide(id, reachOf(actor))
    const needed = operations.get(approval.operation)!
    return { approval, body, judged: { ...(yield* approvals.bothPeople(approval, needed)), needed, reason: "seen" } }
  })

  const ways = {
    ask: (_: Actor, asked: Asked) => approvals.ask(requestOf(asked)),
    approve: Effect.fnUntraced(function*(actor: Actor, asked: Asked, id: string) {
      const { approval, body, judged: grounds } = yield* judged(id, actor)
      assert.deepStrictEqual([body, approval.if_match], [asked.body, asked.ifMatch])
      const done = approvals.settle(approval, grounds, work(asked))
      return yield* Effect.provideService(done, CurrentReason, approval.reason).pipe(
        Effect.catchTag(["NOT_FOUND", "PRECONDITION_FAILED"], (refusal) =>
          Effect.andThen(
            approvals.noteFailure(id, { code: refusal._tag, message: refusal.error.message }),
            Effect.fail(refusal)
          ))
      )
    }),
    begin: Effect.fnUntraced(function*(actor: Actor, _: Asked, id: string) {
      const { approval, judged: grounds } = yield* judged(id, actor)
      yield* approvals.begin(approval, grounds)
    }),
    decline: (actor: Actor, _: Asked, id: string) => approvals.decline(id, reachOf(actor)),
    cancel: (actor: Actor, _: Asked, id: string) => approvals.cancel(id, reachOf(actor))
  }

  /** Does it as a person; answers the code of a refusal, or undefined where it is done. */
  const as = (person: string, way: Exclude<keyof typeof ways, "ask">, asked: Asked, id: string) =>
    Effect.flatMap(
      acting(person),
      (actor) => Effect.provideService(Effect.asVoid(ways[way](actor, asked, id)), CurrentActor, actor)
    ).pipe(
      Effect.provideService(CurrentReason, "seen"),
      Effect.provideService(RequestOrigin, { requestId: undefined, ipAddress: "192.0.2.1", traceparent: undefined }),
      Effect.result,
      Effect.map((result) => Result.isFailure(result) ? result.failure._tag : undefined)
    )
  const ask = (person: string, asked: Asked) =>
    Effect.flatMap(acting(person), (actor) => Effect.provideService(ways.ask(actor, asked), CurrentActor, actor))
  const list = (person: string, filters: { readonly awaiting_me?: boolean }) =>
    Effect.flatMap(
      acting(person),
      (actor) => approvals.list(filters, { limit: 200, cursor: undefined }, reachOf(actor))
    )
  return { acting, as, ask, list }
})

/** The targets, the roles and the people of a life. */
const makeWorld = Effect.fnUntraced(function*(oracle: ApprovalOracle) {
  const sql = yield* Database
  const rows = makeRows(sql)
  yield* sql`CREATE TABLE targets (id text PRIMARY KEY, product_id text, version int NOT NULL DEFAULT 1)`
  const products: Record<string, string> = {}
  for (const product of ["a", "b"]) {
    const policy = yield* rows.policy()
    products[product] = policy.product_id
    for (let index = 0; index < 2; index++) {
      const id = yield* rows.license()
      yield* sql`UPDATE licenses SET product_id = ${policy.product_id}, policy_id = ${policy.id} WHERE id = ${id}`
      oracle.targets.set(id, { product, version: 1 })
    }
  }
  for (const id of ["cus_1", "cus_2", "the keys", "per_dan"]) oracle.targets.set(id, { product: undefined, version: 1 })
  for (const [id, { product }] of oracle.targets) {
    yield* sql`INSERT INTO targets (id, product_id) VALUES (${id}, ${
      product === undefined ? null : products[product]!
    })`
  }
  for (const [name, role] of Object.entries(oracleRoles)) {
    const limit = "products" in role ? role.products.map((product) => products[product]!) : null
    yield* sql`
      INSERT INTO roles (id, name, scopes, product_ids)
      VALUES (${`role_${name}`}, ${name}, ${role.scopes}::text[], ${limit}::text[])`
  }
  for (const person of people) {
    yield* sql`INSERT INTO people (id, name, roles, status) VALUES (${`per_${person}`}, ${person}, '{}', 'active')`
  }
  return Array.from(oracle.targets.keys())
})

const operationOf = (target: string): OracleOperation =>
  target.startsWith("lic_")
    ? "revokeLicense"
    : target.startsWith("cus_")
    ? "eraseCustomer"
    : target.startsWith("per_")
    ? "updatePerson"
    : "rotateSigningKey"

describe("lives of requests for a second person", () => {
  it.layer(layer, { excludeTestServices: true })((it) => {
    it.effect("go as the documents say, whoever asks, decides, loses rights, comes too late or comes at once", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const sweeper = yield* ApprovalSweeper
        const door = yield* makeDoor
        const oracle = new ApprovalOracle()
        const targets = yield* makeWorld(oracle)
        const told: Array<string> = []
        const expect = (actual: unknown, expected: unknown, what: string) =>
          assert.deepStrictEqual(actual, expected, `${what}\n${told.slice(-30).join("\n")}`)

        const employ = Effect.fnUntraced(function*(person: string) {
          const roles = below(8) === 0 ? undefined : pick(roleSets)
          oracle.people.set(person, roles)
          told.push(`${person} is ${roles?.join(" ") ?? "removed"}`)
          yield* sql`
            UPDATE people SET roles = ${(roles ?? []).map((role) => `role_${role}`)}::text[],
              status = ${roles === undefined ? "removed" : "active"} WHERE id = ${`per_${person}`}`
        })

        const pass = Effect.fnUntraced(function*(minutes: number) {
          oracle.now += minutes
          told.push(`${minutes} minutes pass`)
          yield* sql`
            UPDATE approvals SET expires_at = expires_at - ${minutes}::int * interval '1 minute',
              decided_at = decided_at - ${minutes}::int * interval '1 minute'`
        })

        const ask = Effect.fnUntraced(function*(person: string) {
          const target = pick(targets)
          const version = oracle.targets.get(target)!.version
          const asked: Asked = {
            operation: operationOf(target),
            target,
            body: pick([undefined, undefined, "{\"name\":\"A\"}", "{\"name\":\"B\"}"]),
            ifMatch: pick([undefined, String(version), String(version + 1)])
          }
          // Whoever may not do it, or finds it changed, is refused before anything waits.
          if (!oracle.may(person, asked) || oracle.refusal(asked) === "NOT_FOUND") return
          told.push(`${person} asks for ${JSON.stringify(asked)}`)
          const same = oracle.same(person, asked)
          const [one, other] = yield* Effect.all([door.ask(person, asked), door.ask(person, asked)], {
            concurrency: 2
          })
          expect(other.id, one.id, "the same request at once is one")
          if (same === undefined) oracle.asked(one.id, person, asked)
          else expect(one.id, same, "the same request that waits")
        })

        const decide = Effect.fnUntraced(function*(person: string) {
          const requests = [...oracle.requests.values()]
          if (requests.length === 0) return
          const open = requests.filter((request) => request.state === "pending")
          const request = pick(below(4) > 0 && open.length > 0 ? open : requests)
          const way = pick(
            request.operation === "eraseCustomer"
              ? ["begin", "begin", "approve", "decline", "cancel"] as const
              : ["approve", "approve", "decline", "cancel"] as const
          )
          // Most come who may: refusals of others are soon told.
          const able = people.filter((one) => oracle.undecidable(one, request.id) === undefined)
          const likely = way === "cancel" ? request.requester : pick(able) ?? person
          const by = below(3) > 0 ? likely : person
          if (oracle.people.get(by) === undefined) return
          told.push(`${by} has ${request.id} ${way}: ${JSON.stringify(request)}`)
          // Some of them come twice.
          for (let times = below(2); times >= 0; times--) {
            expect(yield* door.as(by, way, request, request.id), oracle[way](by, request.id), `${by} ${way}`)
          }
        })

        /** Two decide at once: one of them does, and the other has nothing to decide. */
        const race = Effect.gen(function*() {
          const request = pick([...oracle.requests.values()].filter((one) => oracle.isWaiting(one) && !one.hasBegun))
          if (request === undefined || oracle.refusal(request) !== undefined) return
          const able = people.filter((person) => oracle.undecidable(person, request.id) === undefined)
          const ways = [pick(["approve", "decline"] as const), pick(["approve", "decline"] as const)] as const
          const [one, two] = [pick(able), pick(able)]
          if (one === undefined || two === undefined) return
          // Rights that whoever asked has lost leave nothing to race for.
          if (!oracle.may(request.requester, request)) return
          told.push(`${one} and ${two} have ${request.id} ${ways.join(" and ")} at once`)
          const answers = yield* Effect.all([
            door.as(one, ways[0], request, request.id),
            door.as(two, ways[1], request, request.id)
          ], { concurrency: 2 })
          expect(answers.toSorted(), ["STATE_CONFLICT", undefined], "one of two decides")
          const winner = answers.indexOf(undefined)
          expect(oracle[ways[winner]!]([one, two][winner]!, request.id), undefined, "the first of two")
        })

        const compare = Effect.gen(function*() {
          const rows = yield* sql<Readonly<Record<string, unknown>>>`
            SELECT id, state, substr(decider_id, 5) AS decider, failure->>'code' AS failure, body, begun_at IS NOT NULL AS begun
            FROM approvals ORDER BY id`
          const shown = [...oracle.requests.values()].map((one) => ({
            id: one.id,
            state: one.state,
            decider: one.decider ?? null,
            failure: one.failure ?? null,
            body: one.operation === "updatePerson" && one.state !== "pending" ? null : one.body ?? null,
            begun: one.hasBegun
          }))
          expect(rows, shown.toSorted((a, b) => a.id < b.id ? -1 : 1), "the requests")
          const versions = yield* sql<
            { readonly id: string; readonly version: number }
          >`SELECT id, version FROM targets`
          expect(
            new Map(versions.map(({ id, version }) => [id, version])),
            new Map(Array.from(oracle.targets, ([id, { version }]) => [id, version])),
            "how often each was done"
          )
        })

        const compareLists = Effect.gen(function*() {
          const person = pick(
            people.filter((one) => oracle.people.get(one) !== undefined && oracle.people.get(one)!.length > 0)
          )
          if (person === undefined) return
          const awaiting = (yield* door.list(person, { awaiting_me: true })).items.map(({ id }) => id)
          expect(awaiting.toSorted(), oracle.awaiting(person).toSorted(), `what waits for ${person}`)
          const seen = (yield* door.list(person, {})).items.map(({ id }) => id)
          const expected = [...oracle.requests.values()].filter((one) => oracle.sees(person, one)).map(({ id }) => id)
          expect(seen.toSorted(), expected.toSorted().slice(-200), `what ${person} sees`)
        })

        for (const person of people) yield* employ(person)
        for (let step = 0; step < steps; step++) {
          const person = pick(people)
          const roles = oracle.people.get(person)
          const kind = below(100)
          const open = [...oracle.requests.values()].filter((request) => oracle.isWaiting(request))
          if (kind < 12) yield* employ(pick(open)?.requester ?? person)
          else if (kind < 17 || roles === undefined) yield* employ(person)
          else if (kind < 45) yield* ask(person)
          else if (kind < 75) yield* decide(person)
          else if (kind < 83) yield* race
          else if (kind < 93) yield* pass(pick([1, 60, 720, 24 * 60 - 1, 24 * 60]))
          else if (kind < 94) yield* pass(91 * 24 * 60)
          else {
            told.push("a sweep")
            yield* sweeper.sweep
            oracle.sweep()
          }
          yield* compare
          if (step % 5 === 0) yield* compareLists
        }

        // Two requests may end in one sweep: what is told of each has an order.
        for (const id of new Set(oracle.events.map(([, of]) => of))) {
          const events = yield* sql<{ readonly kind: string; readonly actor: string; readonly grounds: string }>`
            SELECT event_type AS kind, replace(actor_id, 'per_', '') AS actor, concat(metadata, personal) AS grounds
            FROM event_outbox WHERE resource_id = ${id} OR metadata::jsonb->>'approval_id' = ${id} ORDER BY xid, ordinal`
          expect(
            events.map(({ actor, kind }) => [kind, actor]).toSorted(),
            oracle.events.filter(([, of]) => of === id).map(([kind, , actor]) => [kind, actor]).toSorted(),
            `what is told of ${id}`
          )
          const request = oracle.requests.get(id)
          if (request?.state !== "approved") continue
          const grounds = (of: string) => {
            const text = events.find(({ kind }) => kind === of)?.grounds ?? ""
            return [`per_${request.decider}`, "asked", "seen", "192.0.2.1"].map((part) => text.includes(`"${part}"`))
          }
          // What is done is done for the reason of whoever asked, and from no address: that is of the approval.
          expect(grounds("license.revoked"), [true, true, false, false], "what was done")
          expect(grounds("approval.approved"), [false, false, true, true], "the approval")
        }
      }))

    it.effect("a person has a hundred that wait, and not one more until one is decided or over", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const approvals = yield* Approvals
        yield* sql`INSERT INTO roles (id, name, scopes) VALUES ('role_many', 'Many', '{admin}')`
        yield* sql`INSERT INTO people (id, name, roles, status) VALUES ('per_many', 'Kim', '{role_many}', 'active')`
        const kim = yield* standingRights(sql, { type: "person", id: "per_many" }, [])
        const ask = (number: number) =>
          Effect.provideService(
            approvals.ask({
              operation: "deleteRole",
              params: { id: String(number) },
              body: undefined,
              ifMatch: undefined,
              reason: "asked"
            }),
            CurrentActor,
            kim
          )
        const refused = Effect.map(Effect.flip(ask(101)), ({ error }) => error.detail)
        const first = yield* ask(0)
        for (let number = 1; number < 100; number++) yield* ask(number)
        assert.strictEqual(yield* refused, "100")
        assert.strictEqual((yield* ask(0)).id, first.id, "one that waits already is no further one")
        yield* sql`UPDATE approvals SET expires_at = now() WHERE id = ${first.id}`
        yield* ask(101)
        assert.strictEqual(yield* Effect.map(Effect.flip(ask(102)), ({ error }) => error.detail), "100")
        yield* sql`UPDATE approvals SET expires_at = now() WHERE requester_id = 'per_many'`
        yield* (yield* ApprovalSweeper).sweep
        assert.deepStrictEqual(
          yield* sql`SELECT state, count(*)::int AS n FROM approvals WHERE requester_id = 'per_many' GROUP BY state`,
          [{ state: "expired", n: 101 }],
          "however many there are, all end in one sweep"
        )
      }))

    it.effect("what has begun is finished in the name of whoever asked, though the right to it was lost since", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const approvals = yield* Approvals
        yield* sql`INSERT INTO roles (id, name, scopes) VALUES ('role_whole', 'Whole', '{admin}')`
        for (const id of ["per_asks", "per_decides"]) {
          yield* sql`INSERT INTO people (id, name, roles, status) VALUES (${id}, ${id}, '{role_whole}', 'active')`
        }
        const needed = ["admin"] as const
        const acting = (id: string) => standingRights(sql, { type: "person", id }, needed)
        const asks = yield* acting("per_asks")
        const decides = yield* acting("per_decides")
        const reach = approvalReach(decides.id, decides.person?.grants ?? [], operations)
        const request = {
          operation: "eraseCustomer",
          params: { id: "cus_9" },
          body: undefined,
          ifMatch: undefined
        } as const
        const judged = (id: string) =>
          Effect.map(
            Effect.flatMap(approvals.get(id, reach), (approval) =>
              Effect.map(approvals.bothPeople(approval, needed), (both) => ({ approval, both }))),
            ({ approval, both }) => ({ approval, judged: { ...both, needed, reason: "seen" } })
          )
        const who = Effect.map(CurrentActor, ({ id }) => id)
        const finish = Effect.gen(function*() {
          const { id } = yield* Effect.provideService(
            approvals.ask({ ...request, reason: "asked" }),
            CurrentActor,
            asks
          )
          const first = yield* judged(id)
          yield* approvals.begin(first.approval, first.judged)
          yield* sql`UPDATE people SET roles = '{}', status = 'removed' WHERE id = 'per_asks'`
          const again = yield* judged(id)
          yield* approvals.begin(again.approval, again.judged)
          assert.strictEqual(yield* approvals.settle(again.approval, again.judged, who), "per_asks")
          assert.strictEqual((yield* approvals.get(id, reach)).state, "approved")
        })
        yield* Effect.provideService(finish, CurrentActor, decides)
      }))

    it.effect("rights to other products than those that were judged are judged anew", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const approvals = yield* Approvals
        yield* sql`INSERT INTO roles (id, name, scopes) VALUES ('role_sold', 'Sold', '{license:write}')`
        for (const id of ["per_sells", "per_signs"]) {
          yield* sql`INSERT INTO people (id, name, roles, status) VALUES (${id}, ${id}, '{role_sold}', 'active')`
        }
        const needed = ["license:write"] as const
        const sells = yield* standingRights(sql, { type: "person", id: "per_sells" }, needed)
        const signs = yield* standingRights(sql, { type: "person", id: "per_signs" }, needed)
        const request = {
          operation: "revokeLicense",
          params: { id: "lic_9" },
          body: undefined,
          ifMatch: undefined
        } as const
        const approval = yield* Effect.provideService(
          approvals.ask({ ...request, reason: "asked" }),
          CurrentActor,
          sells
        )
        const products = Effect.map(CurrentProducts, (limit) => limit)
        const settled = Effect.gen(function*() {
          const judged = { ...(yield* approvals.bothPeople(approval, needed)), needed, reason: "seen" }
          yield* sql`UPDATE roles SET product_ids = '{prod_a}' WHERE id = 'role_sold'`
          assert.strictEqual((yield* Effect.flip(approvals.settle(approval, judged, products)))._tag, "STATE_CONFLICT")
          const anew = { ...(yield* approvals.bothPeople(approval, needed)), needed, reason: "seen" }
          assert.deepStrictEqual(yield* approvals.settle(approval, anew, products), ["prod_a"])
        })
        yield* Effect.provideService(settled, CurrentActor, signs)
      }))

    it.effect("no event under a second look is written for who needs one, whichever way leads to it", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const events = yield* Events
        const look = SecondLookAction.literals
        const asks: Actor = {
          type: "person",
          id: "per_asks",
          scopes: ["admin"],
          person: { name: "Asks", roles: [], sessionId: "ses_1", secondLook: look }
        }
        const opener = { type: "person", id: "per_asks", name: "Asks", secondLook: look } as const
        const opened = { ...customerActor("cus_1", "lic_1"), openedBy: opener }
        const append = (type: EventKind, more: object = {}) =>
          Effect.exit(
            inTransaction(sql, events.append({ type, resourceId: "res_1", data: { id: "res_1" }, ...more }))
          )
        const second = { approvalId: "apr_1", id: "per_signs", name: "Signs" }
        for (const type of Struct.keys(lookedAt)) {
          for (const actor of [asks, opened]) {
            const told = Effect.provideService(append(type), CurrentActor, actor)
            const unasked = yield* told
            assert.deepInclude(refusalOf(unasked), { code: "APPROVAL_REQUIRED", detail: lookedAt[type] }, type)
            const approved = yield* Effect.provideService(told, CurrentSecondPerson, second)
            // A job was asked about when it was created.
            const ofJob = yield* Effect.provideService(told, CurrentJob, "job_1")
            assert.deepStrictEqual([approved._tag, ofJob._tag], ["Success", "Success"], type)
          }
          const noPerson = yield* Effect.provideService(append(type), CurrentActor, {
            type: "person",
            id: "per_asks",
            scopes: ["admin"]
          })
          assert.strictEqual(noPerson._tag, "Success")
        }
        const job = Effect.provideService(append("job.created", { look: "revoke_license" }), CurrentActor, asks)
        assert.deepInclude(refusalOf(yield* job), { code: "APPROVAL_REQUIRED", detail: "revoke_license" })
        const [written] = yield* sql`SELECT FROM event_records WHERE event_type = 'job.created'`
        assert.isUndefined(written, "what was refused is rolled back")
        const [row] = yield* sql<{ readonly metadata: string; readonly personal: object }>`
          SELECT metadata, personal FROM event_records WHERE actor_type = 'customer' ORDER BY ordinal DESC LIMIT 1`
        assert.include(row!.metadata, `"opened_by":"per_asks"`)
        assert.notInclude(row!.metadata, "Asks")
        assert.include(Object.keys(row!.personal), "/metadata/opener_name")
      }))
  })
})
