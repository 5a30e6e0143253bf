// A vendor with two teams, each with a product and a key that is limited to it. Every operation that there is, asked by the
// one team: it tells nothing of the other's, and changes nothing of it.
import { assert, describe, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { Api } from "../../../src/api/composition/Api.ts"
import { declarationOf, productsOf } from "../../../src/api/ground/Operation.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"
import { callsOf, filtersOf, makeTeam, mixedOf, nobody } from "../../fixtures/Teams.ts"
import type { Team, TeamCall } from "../../fixtures/Teams.ts"

const service = await startService()
const north = await makeTeam(service, "north")
const south = await makeTeam(service, "south")
const none = nobody(south)
const sql = await session(service.databaseUrl)

/** Every operation that asks for a management token. */
const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = (() => {
  const found: Array<HttpApiEndpoint.Top> = []
  HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => found.push(endpoint) })
  return found.filter((endpoint) => productsOf(declarationOf(endpoint)) !== undefined)
})()

const nameOf = ({ identifier }: HttpApiEndpoint.Top) => identifier
const ruleOf = (endpoint: HttpApiEndpoint.Top) => productsOf(declarationOf(endpoint))!
const isRefused = (endpoint: HttpApiEndpoint.Top) => ruleOf(endpoint) === "refused"
const reads = (endpoint: HttpApiEndpoint.Top) => endpoint.method === "GET" || declarationOf(endpoint).action === "none"
const titled = (some: ReadonlyArray<HttpApiEndpoint.Top>) =>
  some.map((endpoint) => [endpoint.identifier, endpoint] as const)

/** Writes that no event tells of; test/http/jobs/LicenseViews asks them of limited keys. */
const untold = new Set(["createLicenseView", "updateLicenseView", "deleteLicenseView"])

const allowed = endpoints.filter((endpoint) => !isRefused(endpoint) && !untold.has(endpoint.identifier))

/** Asks by the key of a team. */
const ask = ({ method, path }: HttpApiEndpoint.Top, call: TeamCall, by: Team = north): Promise<Answer> => {
  const left = [...call.path ?? []]
  const filled = path.replace(/:\w+/g, () => encodeURIComponent(left.shift() ?? "none"))
  const query = call.query === undefined ? "" : `?${new URLSearchParams(call.query)}`
  return service.call(method, `${filled}${query}`, {
    token: by.token,
    ...(call.body === undefined ? {} : { body: call.body }),
    headers: method === "GET" ? {} : { "idempotency-key": randomUUID() }
  })
}

/** What is told, but for what the caller has said itself. */
const told = ({ text }: Answer, { body, path = [], query = {} }: TeamCall): string => {
  const said = [...path, ...Object.values(query), ...JSON.stringify(body ?? "").match(/[\w.@-]{4,}/g) ?? []]
  return said.reduce((rest, value) => rest.replaceAll(value, ""), text)
}

const tellsNothingOf = (team: Team, answer: Answer, call: TeamCall, what: string): void => {
  const text = told(answer, call).toLowerCase()
  for (const [name, id] of Object.entries(team.ids)) assert.notInclude(text, id, `${what} tells the ${name}`)
  for (const value of [team.mark, team.licenseKey.toLowerCase()]) assert.notInclude(text, value, what)
}

/** What an answer is compared by: all but what belongs to the single exchange. */
const compared = ({ body, status }: Answer) => ({ status, error: body?.error, data: body?.data, page: body?.page_info })

/** A statement that answers a digest of each table, but of what a request leaves behind whatever it comes to. */
const digests = await (async () => {
  const kept = ["activities", "idempotency_keys", "idempotency_counts", "management_keys"]
  const tables = await sql.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL($1)
      AND tablename !~ '^(node_|event_(pending|places|tiles|check|chain)|webhook_|signing|cluster|singleton)'`,
    [kept]
  )
  return tables.map(({ name }) =>
    `SELECT '${name}' AS name, md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest FROM "${name}" t`
  ).join(" UNION ALL ")
})()

/** Everything that is stored. */
const state = async (): Promise<ReadonlyArray<string>> =>
  (await sql.query(digests)).map(({ digest, name }) => `${name} ${digest}`).toSorted()

const changesNothing = async (work: () => Promise<void>): Promise<void> => {
  const before = await state()
  await work()
  assert.deepStrictEqual(await state(), before)
}

/** What is about no product, and about the caller alone. */
const isOwnAffair = new Set(
  [
    "getEventProof",
    "getEventLogCheckpoint",
    "getEventLogTile",
    "getActivity",
    "endSession",
    "renamePasskey",
    "deletePasskey"
  ]
    .concat("getApproval", "approveApproval", "declineApproval", "cancelApproval")
)

describe("the declarations", () => {
  it("name what the path names first, where it names something", () => {
    const segments: Readonly<Record<string, string>> = { policies: "policy", "reports/exports": "report_export" }
    for (const endpoint of allowed) {
      const [, collection, name] = /^\/api\/v1\/((?:reports\/)?[\w-]+)\/:(\w+)/.exec(endpoint.path) ?? []
      const rule = ruleOf(endpoint)
      if (collection === undefined || isOwnAffair.has(endpoint.identifier)) {
        assert.isString(rule, endpoint.identifier)
        continue
      }
      assert.strictEqual(name, "id", endpoint.identifier)
      const resource = segments[collection] ?? collection.replace(/s$/, "").replaceAll("-", "_")
      assert.strictEqual(typeof rule === "object" ? rule.of : rule, resource, endpoint.identifier)
    }
  })

  it("are each asked by a call of the table below", () => {
    assert.sameMembers(Object.keys(callsOf(north)), allowed.map(nameOf))
  })

  it("that take a reference in their body are each asked with what another team has", () => {
    // A device without a seat of the license is ignored, whosever it is.
    const notOurs = new Set(["external_id", "event_id", "process_id", "reset_device_ids"])
    const taken = endpoints.filter((endpoint) => !isRefused(endpoint)).flatMap((endpoint) => {
      const [payload] = endpoint.payload.values()
      const ast = payload?.schemas[0]?.ast
      if (ast === undefined || !SchemaAST.isObjects(ast)) return []
      return ast.propertySignatures.map(({ name }) => String(name))
        .filter((name) => /_ids?$/.test(name) && !notOurs.has(name))
        .map((name) => `${endpoint.identifier}.${name}`)
    })
    assert.sameMembers(Object.keys(mixedOf(north, south)), taken)
  })
})

describe("a limited key reads", () => {
  it.each(titled(someOf("reads of its own", allowed.filter(reads), 25)))(
    "%s of its own, and nothing of another team",
    async (name, endpoint) => {
      const call = callsOf(north)[name]!
      const answer = await ask(endpoint, call)
      // Passkeys are of people, so that a key begins none, and only a key that sees people is told who gives rights.
      const expected = { createReportExport: 201, beginPasskey: 409, listScopeGranters: 403, getApproval: 404 }[name] ??
        200
      assert.strictEqual(answer.status, expected, answer.text)
      tellsNothingOf(south, answer, call, name)
    }
  )

  it.each(titled(allowed.filter(reads)))("%s of another team as of nobody", async (name, endpoint) => {
    const answer = await ask(endpoint, callsOf(south)[name]!)
    tellsNothingOf(south, answer, callsOf(south)[name]!, name)
    const rule = ruleOf(endpoint)
    if (typeof rule === "object") refused(answer, 404, "NOT_FOUND")
    if (rule === "open" || /Summary|list(Activities|Usage)/.test(name)) return
    assert.deepStrictEqual(compared(answer), compared(await ask(endpoint, callsOf(none)[name]!)))
  })

  const filtered = allowed.filter(reads).flatMap((endpoint) => {
    const { query } = endpoint
    if (query === undefined || !SchemaAST.isObjects(query.ast)) return []
    return query.ast.propertySignatures.map(({ name }) => String(name)).filter((name) => name in filtersOf(north))
      .map((filter) => [endpoint.identifier, filter, endpoint] as const)
  })

  it.each(filtered)("%s by %s of another team finds nothing", async (name, filter, endpoint) => {
    const call = (team: Team): TeamCall => {
      const own = callsOf(north)[name]!
      return { ...own, query: { ...own.query, [filter]: filtersOf(team)[filter]! } }
    }
    const answer = await ask(endpoint, call(south))
    tellsNothingOf(south, answer, call(south), name)
    assert.strictEqual(answer.status, (await ask(endpoint, call(none))).status)
  })

  it("walks through every page of every list without meeting another team", async () => {
    for (const endpoint of allowed.filter(({ query }) => query !== undefined && SchemaAST.isObjects(query.ast))) {
      const call = callsOf(north)[nameOf(endpoint)]!
      const names = SchemaAST.isObjects(endpoint.query!.ast)
        ? endpoint.query!.ast.propertySignatures.map(({ name }) => String(name))
        : []
      // The pages of a chain are in its data: what `verifyLicenseChain` reads.
      if (!names.includes("cursor") || nameOf(endpoint) === "getEventChain") continue
      const whole = (await ask(endpoint, { ...call, query: { ...call.query, limit: "200" } })).body.data
      const parts: Array<unknown> = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const query = { ...call.query, limit: "1", ...(cursor === undefined ? {} : { cursor }) }
        const answer = await ask(endpoint, { ...call, query })
        tellsNothingOf(south, answer, { ...call, query }, nameOf(endpoint))
        parts.push(...answer.body.data)
        cursor = answer.body.page_info.has_more ? String(answer.body.page_info.next_cursor) : null
      }
      const idOf = (row: { id?: string; feature_id?: string; definition_id?: string }) =>
        row.id ?? row.feature_id ?? row.definition_id
      assert.deepStrictEqual(parts.map((row) => idOf(row as object)), whole.map(idOf), nameOf(endpoint))
      // No key has a session, or asks for approvals.
      if (!["listSessions", "listPasskeys", "listApprovals"].includes(nameOf(endpoint))) {
        assert.isNotEmpty(whole, nameOf(endpoint))
      }
    }
  })
})

const outcomeOf = ({ body }: Answer): unknown => body.data.results[0].error?.code

/** Writes that name nothing of another team, and what is asked of them elsewhere. */
const namesNothing = new Set(["createCustomer", "createReportExport"])

describe("a limited key changes nothing of another team", () => {
  const writes = allowed.filter((endpoint) => !reads(endpoint) && !namesNothing.has(endpoint.identifier))

  it.each(titled(writes))("%s", async (name, endpoint) => {
    await changesNothing(async () => {
      const answer = await ask(endpoint, callsOf(south)[name]!)
      // Its rows are refused one by one.
      if (name === "reportUsage") assert.strictEqual(outcomeOf(answer), "NOT_FOUND")
      else assert.isAtLeast(answer.status, 400)
      tellsNothingOf(south, answer, callsOf(south)[name]!, name)
      if (typeof ruleOf(endpoint) === "object") refused(answer, 404, "NOT_FOUND")
      assert.deepStrictEqual(compared(answer), compared(await ask(endpoint, callsOf(none)[name]!)))
    })
  })

  it.each(Object.keys(mixedOf(north, south)))("%s", async (name) => {
    const endpoint = endpoints.find(({ identifier }) => identifier === name.split(".")[0])!
    await changesNothing(async () => {
      const answer = await ask(endpoint, mixedOf(north, south)[name]!)
      assert.isAtLeast(answer.status, 400)
      const theirs = JSON.stringify(compared(answer)).replaceAll(/_[0-7][0-9a-z]{25}/g, "")
      const nobodys = JSON.stringify(compared(await ask(endpoint, mixedOf(north, none)[name]!)))
      assert.strictEqual(theirs, nobodys.replaceAll(/_[0-7][0-9a-z]{25}/g, ""))
    })
  })
})

describe("what concerns all products", () => {
  it.each(titled(someOf("refused", endpoints.filter(isRefused), 25)))(
    "%s is refused to a limited key",
    async (name, endpoint) => {
      const error = refused(await ask(endpoint, { path: ["none"], body: {} }), 403, "TOKEN_PRODUCT_DENIED")
      assert.include(error.message, "limited to products", name)
    }
  )
})
