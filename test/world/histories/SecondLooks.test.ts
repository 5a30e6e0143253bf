// Random people of each built-in role, each of whom needs a second person for something, at each door that leads there. What a person gets
// alone is read from the rows, by an oracle that knows neither operations nor events.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import { randomUUID } from "node:crypto"
import { erasedName } from "../../../src/domain/customers/CustomerErasure.ts"
import { JobAction } from "../../../src/domain/jobs/LicenseJob.ts"
import { SecondLookAction, secondLooks, withWaysAround } from "../../../src/domain/log/SecondLook.ts"
import { builtInRoles } from "../../../src/domain/people/Role.ts"
import { historyTimeout, isLong } from "../../fixtures/histories/HistoryForm.ts"
import { openLookedDoors } from "../../fixtures/LookedDoors.ts"
import type { MadeRequest } from "../../fixtures/LookedDoors.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { cookieOf, PortalBrowser } from "../../fixtures/PortalBrowser.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { signInAs } from "../../fixtures/SignedIn.ts"
import type { SignedIn } from "../../fixtures/SignedIn.ts"

const server = await new MailServer().start()
const service = await startService({
  environment: {
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
    COUNTERSIGN_PORTAL: "on",
    COUNTERSIGN_SMTP_URL: server.url,
    COUNTERSIGN_MAIL_FROM: "licenses@acme.example"
  }
})
const sql = await session(service.databaseUrl)
const browser = new PortalBrowser(service, server)
const { licensed, noJobRuns, requests } = await openLookedDoors(service, sql)

const { upTo } = chance("second looks")
const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(upTo(values.length))]!

/** What a person came to: the status of the answer, and its code where it was refused. */
interface Came {
  readonly status: number
  readonly text: string
}
/** Makes what a door needs, and answers how a person goes through. */
type Door = () => Promise<(as: SignedIn) => Promise<Came>>

const send = (as: SignedIn, [method, path, body]: MadeRequest): Promise<Came> =>
  service.call(method, path, {
    token: null,
    headers: { "sec-fetch-site": "same-origin", cookie: as.cookie, "idempotency-key": randomUUID() },
    ...(body === undefined ? {} : { body })
  })

const asked = (make: () => Promise<MadeRequest>): Door => async () => {
  const request = await make()
  return (as) => send(as, request)
}

/** Opens the portal in the place of its customer by a link that is handed over, and sends a form there. */
const throughPortal = (path: string, formOf: (license: Body) => Readonly<Record<string, string>>): Door => async () => {
  const owner = await browser.owner(1)
  const { license } = owner.issued[0]!
  return async (as) => {
    const link = await send(as, ["POST", `/api/v1/customers/${owner["id"]}/portal-links`, { delivery: "response" }])
    if (link.status !== 200) return link
    const entered = await browser.spend(new URL(JSON.parse(link.text).data.url).searchParams.get("token")!)
    assert.strictEqual(entered.status, 303)
    const answer = await browser.ask("POST", `/licenses/${license.id}${path}`, cookieOf(entered), formOf(license))
    return { status: answer.status, text: await answer.text() }
  }
}

/** What an action of a job takes beside its licenses. */
const parametersOf: Readonly<Record<JobAction, (policyId: string) => object>> = {
  suspend: () => ({}),
  reinstate: () => ({}),
  revoke: () => ({}),
  renew: () => ({ expires_at: "2040-01-01T00:00:00Z" }),
  change_policy: (policy_id) => ({ policy_id }),
  tag: () => ({ tags: ["t"] }),
  untag: () => ({ tags: ["t"] })
}

/** Doors that are no operation of which a second person is asked. */
const others: Readonly<Record<string, Door>> = {
  putCustomer: asked(async () => {
    const name = randomUUID()
    const path = `/api/v1/customers-by-external-id/shop/${name}`
    const { id } = await service.data("PUT", path, { name: "Named", email: `${name}@example.com` })
    await service.issue({ license: { customer_id: id } })
    return ["PUT", path, { name: "Named", email: `new-${name}@example.com` }]
  }),
  ownerOfLicense: asked(async () => {
    const { id } = await service.data("POST", "/api/v1/customers", { name: "First", code: randomUUID() })
    return ["PATCH", `/api/v1/licenses/${await licensed()}`, { customer_id: id }]
  }),
  portalKey: throughPortal("/license-key", ({ license_key_last4 }) => ({ last4: license_key_last4, old_key: "now" })),
  portalOffer: throughPortal("/transfer", () => ({ email: `${randomUUID()}@example.com` })),
  importedRows: asked(async () => {
    const { product, policy } = await service.issue()
    const row = { product_id: product.id, policy_id: policy.id, customer_email: "row@example.com" }
    return ["POST", "/api/v1/licenses/bulk", { licenses: [row] }]
  }),
  mapping: asked(async () => {
    const [{ id, mapping }]: ReadonlyArray<Body> = await service.data("GET", "/api/v1/billing/connections")
    return ["PATCH", `/api/v1/billing/connections/${id}`, { mapping, sold_before: "now" }]
  }),
  rehearsedKey: asked(async () => [
    "POST",
    `/api/v1/licenses/${await licensed()}/rotate-key`,
    { dry_run: true }
  ]),
  rehearsedOwner: asked(async () => [
    "PATCH",
    `/api/v1/licenses/${await licensed()}`,
    { customer_email: "dry@example.com", dry_run: true }
  ]),
  ...Object.fromEntries(JobAction.literals.map((action) => [
    `job ${action}`,
    asked(async () => {
      const { license, policy } = await service.issue()
      const selection = { ids: [license.id] }
      return ["POST", "/api/v1/licenses/jobs", { action, selection, ...parametersOf[action](policy.id) }]
    })
  ]))
}

const doors: Readonly<Record<string, Door>> = {
  ...Object.fromEntries(Object.entries(requests).map(([name, make]) => [name, asked(make)])),
  ...others
}

/** What there is of each outcome, by the name of the thing: changed is what is another, or is there no more. */
const things: Readonly<Record<SecondLookAction, string>> = {
  revoke_license: "SELECT id, state = 'revoked' AS is FROM licenses",
  rotate_license_key: `
    SELECT l.id, jsonb_build_array(l.customer_id, l.customer_email, c.email,
      (SELECT jsonb_agg(key_hash ORDER BY key_hash) FROM license_keys WHERE license_id = l.id),
      (SELECT jsonb_agg(token_hash) FROM license_transfer_requests WHERE license_id = l.id)) AS is
    FROM licenses l LEFT JOIN customers c ON c.id = l.customer_id`,
  erase_customer: `
    SELECT id, name = '${erasedName}' AS is FROM customers
    UNION ALL SELECT id, removed_because IS NOT DISTINCT FROM 'erased' FROM license_users`,
  rotate_signing_key: "SELECT 'keys' AS id, jsonb_agg(id ORDER BY id) AS is FROM signing_keys",
  revoke_signing_key: "SELECT id, status = 'revoked' AS is FROM signing_keys",
  rotate_webhook_secret: `
    SELECT endpoint_id AS id, jsonb_agg(prefix ORDER BY id) AS is FROM webhook_secrets GROUP BY endpoint_id`,
  create_api_key: "SELECT 'keys' AS id, jsonb_agg(id ORDER BY id) AS is FROM management_keys",
  rotate_api_key: "SELECT id, expires_at AS is FROM management_keys",
  change_people: `
    SELECT 'people' AS id, jsonb_build_array(
      (SELECT jsonb_agg(jsonb_build_array(id, name, roles, status) ORDER BY id) FROM people),
      (SELECT jsonb_agg(to_jsonb(i)) FROM person_invitations i),
      (SELECT jsonb_agg(id ORDER BY id) FROM passkeys)) AS is`,
  change_roles: `
    SELECT 'roles' AS id, jsonb_build_array(
      (SELECT jsonb_agg(to_jsonb(r) ORDER BY id) FROM roles r),
      (SELECT jsonb_agg(to_jsonb(s) ORDER BY role_id) FROM role_second_looks s)) AS is`
}

type Read = Readonly<Partial<Record<SecondLookAction, ReadonlyMap<string, string>>>>

const read = async (actions: ReadonlyArray<SecondLookAction>): Promise<Read> =>
  Object.fromEntries(
    await Promise.all(actions.map(async (action) => [
      action,
      new Map((await sql.query(things[action])).map(({ id, is }: Body) => [id, JSON.stringify(is)]))
    ]))
  )

/** The actions whose things are others than before. What is new is of nobody yet, but for what has one thing for all. */
const changed = (before: Read, after: Read): ReadonlyArray<SecondLookAction> =>
  Struct.keys(before).filter((action) => [...before[action]!].some(([id, was]) => after[action]!.get(id) !== was))

const people: Record<string, SignedIn> = {}
/** For each action, how often it was refused for want of a second person, and how often it was done by whom nothing was asked. */
const refusals = new Map<string, number>()
const dones = new Map<string, number>()
const count = (counts: Map<string, number>, action: string) => counts.set(action, (counts.get(action) ?? 0) + 1)

beforeAll(async () => {
  for (const { id } of builtInRoles) people[id] = await signInAs(service, `A ${id}`, [id])
})

/** Lets a person of a role that needs a second one for an action through a door, and judges what has changed. */
const attack = async (role: string, look: SecondLookAction | undefined, door: string) => {
  const about = `${role} asks for ${look}, at ${door}`
  await service.data("PATCH", `/api/v1/roles/${role}`, { second_look: look === undefined ? [] : [look] })
  const goThrough = await doors[door]!()
  await noJobRuns()
  const before = await read(SecondLookAction.literals)
  const answer = await goThrough(people[role]!)
  await noJobRuns()
  const alone = changed(before, await read(SecondLookAction.literals))
  const needed = withWaysAround(look === undefined ? [] : [look])
  assert.deepStrictEqual(alone.filter((action) => needed.includes(action)), [], `${about}: ${answer.text}`)
  assert.isBelow(answer.status, 500, `${about}: ${answer.text}`)
  if (answer.status >= 400) assert.deepStrictEqual(alone, [], `${about}: what is refused leaves nothing`)
  for (const action of alone) count(dones, action)
  if (answer.text.includes("APPROVAL_REQUIRED") || answer.text.includes("The vendor made the link")) {
    count(refusals, look ?? "none")
  }
  return answer
}

describe("who needs a second person", () => {
  it("comes alone to nothing that it is needed for, by a role and at a door of any kind", async () => {
    const names = Object.keys(doors)
    const roles = builtInRoles.map(({ id }) => id)
    const looks = SecondLookAction.literals
    // Each door with its own look for who may do everything, and each role and each look at doors by chance.
    for (const [door, look] of Object.entries(secondLooks)) await attack("owner", look, door)
    for (const door of Object.keys(others)) await attack("owner", "rotate_license_key", door)
    for (const door of names) await attack(pick(roles.slice(1)), pick(looks), door)
    for (const role of roles) {
      for (const look of looks) {
        // The long form sends each role with each look through each door.
        for (const door of isLong ? names : [pick(names)]) await attack(role, look, door)
        if (isLong) console.log(`${role}, ${look}: ${names.length} doors`)
      }
    }
    // The oracle sees each of them where nobody is asked, so that its silence says something.
    for (const door of Object.keys(requests)) await attack("owner", undefined, door)
    for (const look of looks) assert.isAbove(refusals.get(look) ?? 0, 0, look)
    assert.isFalse(refusals.has("none"))
    for (const action of looks) assert.isAbove(dones.get(action) ?? 0, 0, action)
    // They came without an event.
    await sql.query("DELETE FROM passkeys")
  }, historyTimeout)
})
