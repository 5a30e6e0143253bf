import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { IdentityForge } from "../../fixtures/IdentityForge.ts"
import { idToken, sharedLicense } from "../../fixtures/LicenseUsers.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { PasskeyTab } from "../../fixtures/PasskeyTab.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import type { SignedIn } from "../../fixtures/SignedIn.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

let service: Service
let forge: IdentityForge
let sql: Session

beforeAll(async () => {
  forge = await new IdentityForge().open()
  const mails = await new MailServer().start()
  const sending = { COUNTERSIGN_SMTP_URL: mails.url, COUNTERSIGN_MAIL_FROM: "licenses@acme.example" }
  service = await startService({
    environment: { ...forge.settings, ...sending, COUNTERSIGN_PORTAL: "on", HOST: "localhost" }
  })
  testDatabaseOf(service)
  sql = await session(service.databaseUrl)
})

/**
 * How many events were committed, whether they have their place in the feed or wait for it; without those of the worker
 * that makes exports and carries out purchases, which come when they come.
 */
const events = async (): Promise<number> =>
  (await sql.query(`
    SELECT count(*)::int AS n FROM (SELECT event_type, metadata FROM events UNION ALL SELECT event_type, metadata FROM event_outbox) e
    WHERE event_type NOT IN ('report_export.ready', 'report_export.failed', 'job.done',
        'purchase.done', 'purchase.waiting', 'purchase.failed') AND metadata::jsonb ->> 'job_id' IS NULL`))[
    0
  ].n

/** What a write is sent to: the values of its path's parameters in their order, its body, and the credential of an app. */
interface Write {
  readonly at?: ReadonlyArray<string>
  readonly body?: unknown
  readonly licenseKey?: string
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

const period = { current_period_start: "2030-01-01T00:00:00Z", current_period_end: "2031-01-01T00:00:00Z" }
const subscription = () => ({ external_system: "s", external_id: randomUUID(), status: "active", ...period })
const order = () => ({ external_system: "s", external_id: randomUUID(), status: "paid" })
const named = () => ({ name: "n", code: randomUUID() })
const field = (resource_type: string) => ({ ...named(), resource_type, value_type: "string" })
/** What a browser says of a request of a page of the service. */
const ownPage = { "sec-fetch-site": "same-origin" }
const role = () => ({ name: randomUUID(), scopes: ["license:read"] })
const webhook = () => ({ name: "w", url: "http://127.0.0.1:9/hook", is_active: false })
const here = { fingerprint: "here" }

/** A write of a person who is signed in, or is about to be, in a browser. */
const fromTab = ({ cookie }: PasskeyTab, body?: unknown) => ({ body, token: null, headers: { ...ownPage, cookie } })

/** An invitation of somebody new. */
const invitation = async (): Promise<string> => {
  const { id } = await service.data("POST", "/api/v1/people", { name: "Ada", roles: ["support"] })
  return (await service.data("POST", `/api/v1/people/${id}/invite`)).invitation
}

/** An export of a report about nothing, which therefore fails. */
const failedExport = async (): Promise<Body> => {
  const body = { report_kind: "license-audit", filters: { license_id: "lic_none" } }
  const { id } = await service.data("POST", "/api/v1/reports/exports", body)
  return eventually("the export fails", async () => {
    const found = await service.data("GET", `/api/v1/reports/exports/${id}`)
    return found.status === "failed" ? found : undefined
  })
}

const connection = () => ({ provider: "stripe", name: "Stripe", secret: `whsec_${randomUUID()}` })

/** A purchase, as an event of its provider would have made it. */
const madePurchase = async (): Promise<Body> => {
  const { id: connectionId } = await service.data("POST", "/api/v1/billing/connections", connection())
  const id = `pur_${randomUUID()}`
  await sql.query("INSERT INTO purchases (id, connection_id, name, status) VALUES ($1, $2, $3, 'new')", [
    id,
    connectionId,
    `order/${id}`
  ])
  return { id }
}

/** A purchase that somebody else pays by now than owns its license. */
const movedPurchase = async (): Promise<Body> => {
  const customer = () => service.data("POST", "/api/v1/customers", { name: "Ada", code: randomUUID() })
  const [owner, payer] = [await customer(), await customer()]
  const { license } = await service.issue({ license: { customer_id: owner.id }, policy: { max_transfers: 1 } })
  const purchase = await madePurchase()
  await sql.query("UPDATE purchases SET status = 'waiting', customer_id = $2 WHERE id = $1", [purchase.id, payer.id])
  const said = { quantity: 1, policy_id: license.policy_id, meaning: "none", customer_id: owner.id }
  await sql.query(
    "INSERT INTO purchase_licenses (purchase_id, item, index, license_id, said) VALUES ($1, '0', 0, $2, $3)",
    [purchase.id, license.id, JSON.stringify(said)]
  )
  return purchase
}

/** Makes something when it is first asked for, and answers the same from then on. */
const once = <A>(make: () => Promise<A>): () => Promise<A> => {
  let made: Promise<A> | undefined
  return () => made ??= make()
}

const post = (path: string, body: unknown) => service.data("POST", `/api/v1/${path}`, body)

/** What a write may need. Each is made when it is asked for, so that a write makes no more than it needs. */
const given = () => {
  const issued = once(() => service.issue({ policy: { max_activations: 5, max_floating_users: 5 } }))
  const license = once(async () => (await issued()).license)
  const product = once(() => post("products", named()))
  const ofProduct = async (path: string, body: unknown) => post(`products/${(await product()).id}/${path}`, body)
  /** A feature that is assigned to the license. */
  const feature = once(async () => {
    const { license, product } = await issued()
    const made = await post(`products/${product.id}/features`, named())
    await post(`licenses/${license.id}/features`, { feature_id: made.id, max_consumptions: 100 })
    return made
  })
  /** The key of a license that this device has a seat of. */
  const activated = once(async () => {
    const { key } = await issued()
    assert.strictEqual((await service.license("activate", key, here)).status, 200)
    return key
  })
  return {
    issued,
    license,
    product,
    feature,
    activated,
    policy: () => ofProduct("policies", { ...named(), license_type: "trial" }),
    looseFeature: () => ofProduct("features", named()),
    customer: () => post("customers", named()),
    /** A job that does something to licenses, once the one before it has ended. */
    job: (body: Body) =>
      eventually("the job before is done", async () => {
        const headers = { "idempotency-key": randomUUID() }
        const answer = await service.call("POST", "/api/v1/licenses/jobs", { body, headers })
        return answer.status === 201 ? answer.body.data.job.id : undefined
      }),
    view: async () => (await post("license-views", { name: "v" })).id,
    note: async (subjects: string, id: string) => (await post(`${subjects}/${id}/notes`, { text: "a note" })).id,
    /** A custom field of licenses, or of customers. */
    field: (of: string) => ofProduct("custom-fields", field(of)),
    /** The path of a custom field of the license. */
    licenseField: async () => {
      const { license, product } = await issued()
      return [license.id, (await post(`products/${product.id}/custom-fields`, field("license"))).id]
    },
    version: () => ofProduct("versions", { version: "1.0" }),
    subscription: () => ofProduct("subscriptions", subscription()),
    order: () => ofProduct("orders", order()),
    connection: () => post("billing/connections", connection()),
    webhook: async () => (await post("webhooks", webhook())).webhook,
    publishableKey: async () => {
      const { id } = await ofProduct("policies", { ...named(), license_type: "trial", duration: "P14D" })
      return ofProduct("publishable-keys", { name: "app", policy_id: id })
    },
    person: () => post("people", { name: "Ada", roles: ["support"] }),
    invitation,
    /** A browser in which somebody has joined with a passkey. */
    tab: async () => {
      const tab = new PasskeyTab(service)
      const answer = await tab.join(await invitation())
      assert.strictEqual(answer.status, 201, answer.text)
      return tab
    },
    role: () => post("roles", role()),
    /** A request of one person that waits for another one. */
    approval: async () => {
      const [asks, approves] = [
        await signInAs(service, "Asks", ["owner"]),
        await signInAs(service, "Approves", ["owner"])
      ]
      const body = { operation: "deleteRole", params: { id: (await post("roles", role())).id }, reason: "asked" }
      const of = ({ cookie }: SignedIn) => ({ ...ownPage, cookie })
      const { id } = (await asPerson(service, asks, "POST", "/api/v1/approvals", body)).body.data
      const another = { ...body, params: { id: (await post("roles", role())).id } }
      return {
        asked: { body: another, token: null, headers: of(asks) },
        decided: { at: [id], body: { reason: "seen" }, token: null, headers: of(approves) },
        canceled: { at: [id], token: null, headers: of(asks) }
      }
    },
    apiKey: async () => (await post("api-keys", { name: "k" })).api_key,
    /** The path of a device of the license. */
    device: async () => {
      await activated()
      const { id } = await license()
      return [id, (await service.data("GET", `/api/v1/licenses/${id}/devices`))[0].id]
    },
    /** The token of a floating seat of the license. */
    leased: async () => {
      const { key } = await issued()
      const { body } = await service.license("floating/checkout", key, { fingerprint: "floats" })
      return { licenseKey: key, body: { lease_token: body.data.lease_token } }
    }
  }
}
type Given = ReturnType<typeof given>

const ofLicense = (body?: unknown) => async ({ license }: Given): Promise<Write> => ({
  at: [(await license()).id],
  body
})
const ofProduct = (body: () => unknown) => async ({ product }: Given): Promise<Write> => ({
  at: [(await product()).id],
  body: body()
})
/** A write to what was made before. */
const of = (make: (given: Given) => Promise<Body>, body?: unknown) => async (given: Given): Promise<Write> => ({
  at: [(await make(given)).id],
  body
})
/** A write to what was made of a product before. */
const inProduct = (make: (given: Given) => Promise<Body>, body?: unknown) => async (given: Given): Promise<Write> => ({
  at: [(await given.product()).id, (await make(given)).id],
  body
})
/** A write to a user who was invited to a license. */
const ofUser = async ({ license }: Given): Promise<Write> => {
  const { id } = await license()
  await service.data("PATCH", `/api/v1/licenses/${id}`, { overrides: { max_users: 9 } })
  const user = await post(`licenses/${id}/users`, { email: `${randomUUID()}@example.com` })
  return { at: [id, user.id] }
}
/** A call of a device that has a seat. */
const activated = (body: object) => async ({ activated }: Given): Promise<Write> => ({
  licenseKey: await activated(),
  body
})

/** One request of each write that succeeds, once. */
const writes: Readonly<Record<string, (given: Given) => Write | Promise<Write>>> = {
  createProduct: () => ({ body: named() }),
  updateProduct: ofProduct(() => ({ name: "new" })),
  deleteProduct: of(({ product }) => product()),
  createProductVersion: ofProduct(() => ({ version: randomUUID() })),
  updateProductVersion: inProduct(({ version }) => version(), { version: "1.1" }),
  deleteProductVersion: inProduct(({ version }) => version()),
  createSubscription: ofProduct(subscription),
  updateSubscription: of(({ subscription }) => subscription(), { status: "paused" }),
  deleteSubscription: of(({ subscription }) => subscription()),
  createOrder: ofProduct(order),
  updateOrder: of(({ order }) => order(), { status: "refunded" }),
  deleteOrder: of(({ order }) => order()),
  createProductCustomFieldDefinition: ofProduct(() => field("license")),
  updateProductCustomFieldDefinition: inProduct(({ field }) => field("license"), { name: "new" }),
  deleteProductCustomFieldDefinition: inProduct(({ field }) => field("license")),
  upsertCustomerCustomFieldValue: async ({ customer, field }) => ({
    at: [(await customer()).id, (await field("customer")).id],
    body: { string_value: "v" }
  }),
  upsertLicenseCustomFieldValue: async ({ licenseField }) => ({
    at: await licenseField(),
    body: { string_value: "v" }
  }),
  createCustomerNote: of(({ customer }) => customer(), { text: "v" }),
  updateCustomerNote: async ({ customer, note }) => {
    const { id } = await customer()
    return { at: [id, await note("customers", id)], body: { text: "new" } }
  },
  deleteCustomerNote: async ({ customer, note }) => {
    const { id } = await customer()
    return { at: [id, await note("customers", id)] }
  },
  createLicenseView: () => Promise.resolve({ body: { name: "v" } }),
  updateLicenseView: async ({ view }) => ({ at: [await view()], body: { name: "new" } }),
  deleteLicenseView: async ({ view }) => ({ at: [await view()] }),
  createLicenseJob: async ({ license }) => ({
    body: { action: "tag", selection: { ids: [(await license()).id] }, tags: ["a"] }
  }),
  stopJob: async ({ issued, job }) => {
    const { policy, product } = await issued()
    const defaults = { product_id: product.id, policy_id: policy.id }
    const many = { defaults, licenses: Array.from({ length: 500 }, () => ({})) }
    await post("licenses/bulk", many)
    return { at: [await job({ action: "tag", tags: ["a"], selection: { filter: { policy_id: policy.id } } })] }
  },
  retryJob: async ({ job, license }) => {
    const { id } = await license()
    await post(`licenses/${id}/revoke`, {})
    const made = await job({ action: "suspend", selection: { ids: [id] } })
    await eventually("it is done", async () => (await service.data("GET", `/api/v1/jobs/${made}`)).state === "done")
    return { at: [made] }
  },
  createLicenseNote: of(({ license }) => license(), { text: "v" }),
  updateLicenseNote: async ({ license, note }) => {
    const { id } = await license()
    return { at: [id, await note("licenses", id)], body: { text: "new" } }
  },
  deleteLicenseNote: async ({ license, note }) => {
    const { id } = await license()
    return { at: [id, await note("licenses", id)] }
  },
  createPolicy: ofProduct(() => ({ ...named(), license_type: "trial" })),
  updatePolicy: of(({ policy }) => policy(), { name: "new" }),
  rehearsePolicy: of(({ policy }) => policy(), { change: { max_activations: 2 } }),
  deletePolicy: of(({ policy }) => policy()),
  createFeature: ofProduct(named),
  updateFeature: of(({ looseFeature }) => looseFeature(), { name: "new" }),
  deleteFeature: of(({ looseFeature }) => looseFeature()),
  assignLicenseFeature: async ({ issued }) => {
    const { license, product } = await issued()
    const { id } = await post(`products/${product.id}/features`, named())
    return { at: [license.id], body: { feature_id: id } }
  },
  assignPolicyFeature: async ({ looseFeature, policy, product }) => ({
    at: [(await product()).id, (await policy()).id],
    body: { feature_id: (await looseFeature()).id, max_consumptions: 7, period: "month" }
  }),
  removePolicyFeature: async ({ looseFeature, policy, product }) => {
    const [{ id }, { id: policyId }, { id: feature_id }] = [await product(), await policy(), await looseFeature()]
    await post(`products/${id}/policies/${policyId}/features`, { feature_id })
    return { at: [id, policyId, feature_id] }
  },
  removeLicenseFeature: async ({ feature, license }) => ({ at: [(await license()).id, (await feature()).id] }),
  resetLicenseUsage: async ({ feature, license }) => ({
    at: [(await license()).id],
    body: { feature_id: (await feature()).id, add_credits: 7 }
  }),
  createCustomerPool: async ({ customer, feature }) => ({
    at: [(await customer()).id],
    body: { feature_id: (await feature()).id, amount: 7 }
  }),
  revokeCustomerPool: async ({ customer, feature }) => {
    const { id } = await customer()
    const pool = await post(`customers/${id}/pools`, { feature_id: (await feature()).id, amount: 7 })
    return { at: [id, pool.id] }
  },
  inviteLicenseUser: async ({ license }) => {
    const { id } = await license()
    await service.data("PATCH", `/api/v1/licenses/${id}`, { overrides: { max_users: 9 } })
    return { at: [id], body: { email: `${randomUUID()}@example.com` } }
  },
  removeLicenseUser: ofUser,
  eraseLicenseUser: ofUser,
  createLicenseGrant: async ({ feature, license }) => ({
    at: [(await license()).id],
    body: { feature_id: (await feature()).id, amount: 7 }
  }),
  revokeLicenseGrant: async ({ feature, license }) => {
    const { id } = await license()
    const grant = await post(`licenses/${id}/grants`, { feature_id: (await feature()).id, amount: 7 })
    return { at: [id, grant.id] }
  },
  refundLicenseUsage: async ({ activated, feature, license }) => {
    const { code, id: feature_id } = await feature()
    const event_id = randomUUID()
    await service.license("consume", await activated(), { ...here, feature_code: code, event_id, amount: 3 })
    return { at: [(await license()).id], body: { feature_id, event_id, amount: 1 } }
  },
  reportUsage: async ({ feature, license }) => ({
    body: { uses: [{ license_id: (await license()).id, feature_code: (await feature()).code, event_id: randomUUID() }] }
  }),
  createCustomer: () => ({ body: named() }),
  updateCustomer: of(({ customer }) => customer(), { name: "new" }),
  eraseCustomer: of(({ customer }) => customer()),
  createPortalLink: of(({ customer }) => customer(), { delivery: "response" }),
  deleteCustomer: of(({ customer }) => customer()),
  createAPIKey: () => ({ body: { name: "k" } }),
  rotateAPIKey: of(({ apiKey }) => apiKey(), {}),
  revokeAPIKey: of(({ apiKey }) => apiKey()),
  createPerson: () => ({ body: { name: "Ada" } }),
  updatePerson: of(({ person }) => person(), { name: "new" }),
  removePerson: of(({ person }) => person()),
  reinstatePerson: async ({ person }) => {
    const { id } = await person()
    await service.call("DELETE", `/api/v1/people/${id}`)
    return { at: [id] }
  },
  invitePerson: of(({ person }) => person()),
  signIn: async ({ person }) => {
    const { invitation } = await service.data("POST", `/api/v1/people/${(await person()).id}/invite`)
    return { body: { invitation }, headers: ownPage }
  },
  beginSignIn: () => ({ body: { return_to: "/console" }, headers: ownPage }),
  signOut: async () => {
    const { cookie } = await signInAs(service, "Leaving", ["support"])
    return { token: null, headers: { ...ownPage, cookie } }
  },
  beginPasskeySignIn: () => ({ headers: ownPage }),
  finishPasskeySignIn: async ({ tab }) => {
    const joined = await tab()
    return fromTab(joined, joined.authenticator.sign(await joined.challenge()))
  },
  showInvitation: async ({ invitation }) => ({ body: { invitation: await invitation() }, headers: ownPage }),
  joinWithPasskey: async ({ invitation }) => {
    const tab = new PasskeyTab(service)
    return fromTab(tab, tab.authenticator.create(await tab.invited(await invitation())))
  },
  beginPasskey: async ({ tab }) => fromTab(await tab()),
  createPasskey: async ({ tab }) => {
    const joined = await tab()
    return fromTab(joined, joined.authenticator.create(await joined.begin()))
  },
  renamePasskey: async ({ tab }) => {
    const joined = await tab()
    const { id } = (await joined.add()).body.data
    return { ...fromTab(joined, { name: "new" }), at: [id] }
  },
  deletePasskey: async ({ tab }) => ({ at: [(await (await tab()).add()).body.data.id] }),
  noteAdminSignIn: () => ({}),
  updateSettings: () => ({ body: { brand_name: randomUUID() } }),
  testSignIn: () => ({}),
  putMailTemplate: () => ({ at: ["license_issued", "de"], body: { subject: randomUUID(), body: "{{ license_key }}" } }),
  resetMailTemplate: () => ({ at: ["license_issued", "de"] }),
  previewMailTemplate: () => ({ at: ["license_issued", "de"], body: {} }),
  sendMailSample: async () => {
    const { cookie, id } = await signInAs(service, "Mailed", ["owner"])
    await service.data("PATCH", `/api/v1/people/${id}`, { email: "mailed@example.com" })
    return { at: ["license_issued", "de"], body: {}, token: null, headers: { ...ownPage, cookie } }
  },
  createMailSuppression: () => ({ body: { address: `${randomUUID()}@example.com` } }),
  deleteMailSuppression: async () => {
    const body = { address: `${randomUUID()}@example.com` }
    return { at: [(await service.data("POST", "/api/v1/settings/mail/suppressions", body)).id] }
  },
  endSession: async ({ person }) => {
    const { invitation } = await service.data("POST", `/api/v1/people/${(await person()).id}/invite`)
    const { body } = await service.call("POST", "/api/v1/sign-in", { body: { invitation }, headers: ownPage })
    return { at: [body.data.id] }
  },
  requestApproval: async ({ approval }) => (await approval()).asked,
  approveApproval: async ({ approval }) => (await approval()).decided,
  declineApproval: async ({ approval }) => (await approval()).decided,
  cancelApproval: async ({ approval }) => (await approval()).canceled,
  createRole: () => ({ body: role() }),
  updateRole: of(({ role }) => role(), { description: "new" }),
  deleteRole: of(({ role }) => role()),
  createPublishableKey: async ({ publishableKey }) => {
    const { policy_id, product_id } = await publishableKey()
    return { at: [product_id], body: { name: "app", policy_id } }
  },
  revokePublishableKey: of(({ publishableKey }) => publishableKey()),
  openTrial: async ({ publishableKey }) => ({ token: (await publishableKey()).key, body: here }),
  createLicense: async ({ issued }) => {
    const { policy, product } = await issued()
    return { body: { product_id: product.id, policy_id: policy.id } }
  },
  createLicenses: async ({ issued }) => {
    const { policy, product } = await issued()
    return { body: { defaults: { product_id: product.id, policy_id: policy.id }, licenses: [{}, {}] } }
  },
  issueOfflineFile: async ({ issued }) => {
    const { key, license } = await issued()
    return { at: [license.id], body: { fingerprint: "air-gapped", license_key: key } }
  },
  revokeOfflineFile: async ({ issued }) => {
    const { key, license } = await issued()
    const body = { fingerprint: "air-gapped", license_key: key }
    return { at: [license.id, (await post(`licenses/${license.id}/offline-files`, body)).file.id] }
  },
  suspendLicense: ofLicense(),
  reinstateLicense: async ({ license }) => {
    const { id } = await license()
    await service.data("POST", `/api/v1/licenses/${id}/suspend`)
    return { at: [id] }
  },
  revokeLicense: ofLicense(),
  updateLicense: ofLicense({ customer_name: "new" }),
  renewLicense: ofLicense({ extend_by_days: 10 }),
  transferLicense: ofLicense({ customer_name: "new" }),
  changeLicensePolicy: async ({ issued }) => {
    const { license, product } = await issued()
    const other = await post(`products/${product.id}/policies`, { ...named(), license_type: "trial" })
    return { at: [license.id], body: { policy_id: other.id } }
  },
  rotateLicenseKey: ofLicense({}),
  lookupLicense: async ({ issued }) => ({ body: { license_key: (await issued()).key } }),
  searchLicenses: async ({ issued }) => ({ body: { text: (await issued()).key } }),
  explainLicense: ofLicense({}),
  resetLicenseDevice: async ({ device }) => ({ at: await device() }),
  blacklistLicenseDevice: async ({ device }) => ({ at: await device() }),
  freeLicenseDeviceSeat: async ({ device }) => ({ at: await device(), body: { reason: "scrapped" } }),
  releaseLicenseLease: async ({ leased, license }) => {
    await leased()
    const { id } = await license()
    return { at: [id, (await service.data("GET", `/api/v1/licenses/${id}/leases`))[0].id] }
  },
  activateLicense: async ({ issued }) => ({ licenseKey: (await issued()).key, body: here }),
  beginUserMailSignIn: async () => {
    const { key } = await service.issue({ policy: { max_users: 1 } })
    return { licenseKey: key, body: { email: "ada@example.com" } }
  },
  signInLicenseUser: async () => {
    const { key } = await sharedLicense(service, forge.issuer, 9, { admits: "anyone" })
    return { licenseKey: key, body: { id_token: idToken(forge, { sub: randomUUID() }) } }
  },
  validateLicense: activated(here),
  checkLicense: activated(here),
  consumeLicense: async ({ activated, feature }) => ({
    licenseKey: await activated(),
    body: { ...here, feature_code: (await feature()).code, event_id: "e", amount: 3 }
  }),
  refundOwnUsage: async ({ feature, issued }) => {
    const { key, license } = await issued()
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { overrides: { refund_window_minutes: 60 } })
    const { code } = await feature()
    await service.license("activate", key, here)
    await service.license("consume", key, { ...here, feature_code: code, event_id: "e", amount: 3 })
    return { licenseKey: key, body: { ...here, feature_code: code, event_id: "e", amount: 1 } }
  },
  deactivateLicense: activated(here),
  releaseOwnDevice: async ({ issued }) => {
    const { key, license } = await issued()
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { overrides: { self_service: true } })
    const { body } = await service.license("activate", key, here)
    return { licenseKey: key, at: [body.data.device_id] }
  },
  checkoutFloatingLicense: async ({ issued }) => ({ licenseKey: (await issued()).key, body: here }),
  heartbeatFloatingLicense: ({ leased }) => leased(),
  checkinFloatingLicense: ({ leased }) => leased(),
  issueOfflineLicense: activated(here),
  rotateSigningKey: () => ({}),
  revokeSigningKey: async () => {
    const [{ kid }] = await service.data("GET", "/api/v1/signing-keys")
    await service.data("POST", "/api/v1/signing-keys/rotate")
    return { at: [kid] }
  },
  moveEnvironmentClock: () => ({ body: { advance: "P1D" }, token: testToken }),
  resetEnvironment: () => ({ token: testToken }),
  createReportExport: () => ({ body: { report_kind: "usage-summary" } }),
  retryReportExport: of(failedExport),
  putCustomer: () => ({ at: ["stripe", randomUUID()], body: { name: "A" } }),
  putSubscription: async ({ product }) => ({
    at: [(await product()).id, "stripe", randomUUID()],
    body: { status: "active", ...period }
  }),
  putOrder: async ({ product }) => ({ at: [(await product()).id, "stripe", randomUUID()], body: { status: "paid" } }),
  createBillingConnection: () => ({ body: connection() }),
  updateBillingConnection: of(({ connection }) => connection(), { name: "new" }),
  deleteBillingConnection: of(({ connection }) => connection()),
  retryPurchase: of(madePurchase),
  decidePurchaseOwner: of(movedPurchase, { owner: "follow" }),
  reconcileBillingConnection: async () => {
    // A key without its site leads nowhere, so that nobody is asked.
    const of = { provider: "chargebee", name: "Site", api_key: "a-key-without-its-site" }
    return { at: [(await service.data("POST", "/api/v1/billing/connections", of)).id], body: {} }
  },
  createWebhookEndpoint: () => ({ body: webhook() }),
  updateWebhookEndpoint: of(({ webhook }) => webhook(), { rotate_secret: true }),
  resumeWebhookEndpointFromNow: of(({ webhook }) => webhook()),
  testWebhookEndpoint: of(({ webhook }) => webhook()),
  deleteWebhookEndpoint: of(({ webhook }) => webhook())
}

/** These ask and change nothing, so they are answered anew. */
const questions = new Set([
  "beginUserMailSignIn",
  "lookupLicense",
  "searchLicenses",
  "explainLicense",
  "rehearsePolicy",
  "validateLicense",
  "checkLicense",
  "testWebhookEndpoint",
  "retryPurchase",
  "beginSignIn",
  "beginPasskeySignIn",
  "showInvitation",
  "beginPasskey",
  "testSignIn",
  "previewMailTemplate",
  "sendMailSample"
])

/** These spend what they are sent, so that a repeat is refused. */
const spent = new Set(["signIn", "signOut", "finishPasskeySignIn", "joinWithPasskey"])

/** These happen once whatever their Idempotency-Key, and a repeat is answered with the same. */
const same = new Set(["requestApproval", "approveApproval"])

/** These happen once whatever their Idempotency-Key, and a repeat is answered anew. */
const remembered = new Set(["openTrial", "signInLicenseUser"])

/** A heartbeat would fill the log with what says nothing, and what a retried export came to is an event of its own. */
const eventless = new Set([
  "createLicenseView",
  "updateLicenseView",
  "deleteLicenseView",
  "heartbeatFloatingLicense",
  "retryReportExport",
  "moveEnvironmentClock",
  "reconcileBillingConnection"
])

/** A reset takes what was stored with it; done twice, it comes to the same. */
const forgotten = new Set(["resetEnvironment"])

describe("trap 17: a write that is retried happens twice", () => {
  // A body that is its sender's own bytes is told apart by the ids of its events: test/http/sales/Purchases repeats it.
  const all = operations.filter(({ declaration, method }) => method !== "GET" && declaration.rawBody !== true)

  it("every write of the contract is tried", () => {
    assert.sameMembers(Object.keys(writes), all.map(({ operationId }) => operationId))
  })

  it.each(someOf("writes that are retried", all, 40))(
    "$operationId happens once for its Idempotency-Key",
    async ({ method, operationId, path }) => {
      const { at = [], body, headers: more = {}, licenseKey, token } = await writes[operationId]!(given())
      const values = [...at]
      const target = path.replace(/:[^/]+/g, () => values.shift()!)
      const headers = { "idempotency-key": randomUUID(), ...more }
      const send = (): Promise<Answer> =>
        service.call(method, target, {
          body,
          headers,
          ...(licenseKey === undefined ? {} : { licenseKey }),
          ...(token === undefined ? {} : { token })
        })
      const before = await events()
      const first = await send()
      assert.isBelow(first.status, 300, first.text)
      const after = await events()
      const isSpent = spent.has(operationId)
      const refusals = async () => isSpent ? (await service.feed("&event_type=session.refused")).length : 0
      const refusedBefore = await refusals()
      const again = await send()
      if (isSpent) {
        assert.strictEqual(again.status, 401, again.text)
        // Who could not sign in stands in the log; it has nothing else.
        const refusedNow = await refusals() - refusedBefore
        assert.strictEqual(await events(), after + refusedNow, "a refused retry adds no other event")
        return
      }
      assert.strictEqual(await events(), after, "a retry adds no event")
      if (remembered.has(operationId)) {
        assert.isAbove(after, before)
        assert.strictEqual(again.body.data.license_key, first.body.data.license_key)
        return
      }
      assert.strictEqual(again.status, first.status)
      if (same.has(operationId)) {
        assert.isAbove(after, before)
        return assert.deepStrictEqual(again.body.data, first.body.data)
      }
      if (questions.has(operationId) || forgotten.has(operationId)) {
        assert.strictEqual(after, before)
        assert.isUndefined(again.headers["idempotency-replayed"])
        return
      }
      if (!eventless.has(operationId)) assert.isAbove(after, before)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
    }
  )
})
