import { isCountersignError } from "../../client/api/index.ts"
import type { Countersign } from "../../client/api/index.ts"
import { differencesOf } from "./Comparison.ts"
import { entriesOf, OwnedEntries } from "./ExportDirectory.ts"
import type { Entry } from "./ExportDirectory.ts"
import type { KnownKeys, NewKeys } from "./KnownKeys.ts"
import {
  deviceRequest,
  featureRequest,
  grantRequest,
  licenseRequest,
  usageRequest,
  valueRequest
} from "./MovedCatalog.ts"
import type { MovedResource } from "./MovedCatalog.ts"

/** Licenses that are brought at once. */
const atOnce = 8

/** Findings that are kept; further ones are counted. */
const listed = 10_000

/** A difference or a refusal, and of what. */
interface MoveFinding {
  readonly file: string
  readonly id: string
  readonly message: string
}

interface MoveTally {
  created: number
  already: number
  newKeys: number
  waitingDevices: number
  findings: Array<MoveFinding>
  different: number
}

const refusalOf = (cause: unknown): string | undefined => {
  if (!isCountersignError(cause)) return undefined
  const { code, detail, fields, message, status } = cause
  if (status === undefined || status === 401 || status === 403 || status === 429 || status >= 500) return undefined
  const found = fields.map(({ message, path }) => `${path} ${message}`).join("; ")
  return `the service refuses it: ${found === "" ? `${message} ${detail ?? ""}`.trim() : found} (${code})`
}

const codeOf = (cause: unknown): string | undefined => isCountersignError(cause) ? cause.code : undefined

const all = async (entries: AsyncIterable<unknown>): Promise<ReadonlyArray<Entry>> => {
  const found: Array<Entry> = []
  for await (const entry of entries) found.push(entry as Entry)
  return found
}

const limit = { limit: 200 } as const

/** Brings what an export holds into a service, entry by entry; what is there already is only compared. */
export class Move {
  readonly ids = new Map<string, string>()
  readonly tally: MoveTally = { created: 0, already: 0, newKeys: 0, waitingDevices: 0, findings: [], different: 0 }
  private readonly client: Countersign
  private readonly directory: string
  private readonly isDry: boolean

  constructor(client: Countersign, directory: string, isDry: boolean) {
    this.client = client
    this.directory = directory
    this.isDry = isDry
  }

  found(file: string, id: string, messages: ReadonlyArray<string>): void {
    for (const message of messages) {
      this.tally.different += 1
      if (this.tally.findings.length < listed) this.tally.findings.push({ file, id, message })
    }
  }

  /** Runs a request; a refusal of what it brings is a finding about the entry. */
  async attempt<A>(file: string, id: string, request: () => PromiseLike<A>): Promise<A | undefined> {
    try {
      return await request()
    } catch (cause) {
      const message = refusalOf(cause)
      if (message === undefined) throw cause
      this.found(file, id, [message])
      return undefined
    }
  }

  async resource({ create, isOfProduct, keyOf, list, name }: MovedResource): Promise<void> {
    const there = new Map<string, Entry>()
    const nameIn = (product: unknown, entry: Entry) => JSON.stringify([isOfProduct ? product : "", keyOf(entry)])
    const products = isOfProduct ? this.products : [""]
    for (const product of products) {
      for (const entry of await all(list(this.client, product))) there.set(nameIn(product, entry), entry)
    }
    for await (const entry of entriesOf(this.directory, name)) {
      const known = there.get(nameIn(this.ids.get(String(entry["product_id"])), entry))
      const made = known ?? (this.isDry
        ? undefined
        : await this.attempt(name, entry.id, () => create(this.client, entry, this.ids))) as Entry | undefined
      if (made === undefined) {
        if (this.isDry) this.tally.created += 1
        continue
      }
      this.tally[known === undefined ? "created" : "already"] += 1
      this.ids.set(entry.id, made.id)
      if (name === "products") this.products.push(made.id)
      this.found(name, entry.id, differencesOf(name, entry, made, this.ids))
    }
  }

  private readonly products: Array<string> = []

  async grants(): Promise<void> {
    const grants = new OwnedEntries(this.directory, "policy_features", "policy_id")
    for await (const policy of entriesOf(this.directory, "policies")) {
      const id = this.ids.get(policy.id)
      const product = this.ids.get(String(policy["product_id"]))
      for (const grant of await grants.take(policy.id)) {
        if (id === undefined || product === undefined || this.isDry) continue
        const made = await this.attempt(
          "policy_features",
          policy.id,
          () => this.client.policies.assignFeature(product, id, grantRequest(grant, this.ids))
        )
        if (made !== undefined) {
          const ids = new Map([...this.ids, [policy.id, id]])
          this.found(
            "policy_features",
            policy.id,
            differencesOf("policy_features", { ...grant, policy_id: id }, made, ids)
          )
        }
      }
    }
  }

  async customerValues(): Promise<void> {
    const values = new OwnedEntries(this.directory, "customer_custom_fields", "resource_id")
    for await (const customer of entriesOf(this.directory, "customers")) {
      const owned = await values.take(customer.id)
      const id = this.ids.get(customer.id)
      if (id !== undefined && !this.isDry) await this.values("customers", customer.id, id, owned)
    }
  }

  private async values(kind: "customers" | "licenses", old: string, id: string, values: ReadonlyArray<Entry>) {
    for (const value of values) {
      const body = valueRequest(value)
      const field = this.ids.get(String(value["definition_id"]))
      if (body === undefined || field === undefined) continue
      await this.attempt(
        kind === "customers" ? "customer_custom_fields" : "license_custom_fields",
        old,
        () => this.client[kind].upsertCustomFieldValue(id, field, body)
      )
    }
  }

  /** Archives features last: licenses could not be given one that is. */
  async archive(): Promise<void> {
    for await (const feature of entriesOf(this.directory, "features")) {
      const id = this.ids.get(feature.id)
      if (feature["archived_at"] === undefined || id === undefined || this.isDry) continue
      await this.attempt("features", feature.id, () => this.client.features.update(id, { is_archived: true }))
    }
  }

  /** A license with all that is its own: created where its key is not there, and compared. */
  async license(license: Entry, parts: LicenseParts, keys: KnownKeys, newKeys: NewKeys | undefined): Promise<void> {
    const known = keys.of(license)
    if (known === "ambiguous" || (known === undefined && newKeys === undefined)) {
      const shown = `${String(license["license_key_prefix"])}…${String(license["license_key_last4"])}`
      return this.found("licenses", license.id, [
        known === undefined
          ? `its key ${shown} is not among those of --keys: add it there, or say --new-keys <file> for new ones`
          : `several keys of --keys are shown as ${shown}: add a column license_id to it`
      ])
    }
    const { client, ids } = this
    // What its subscription has suspended is suspended by it here too.
    const byItself = license["suspended_by"] !== undefined
    const status = byItself ? "active" : String(license["status"])
    if (known === undefined) this.tally.newKeys += 1
    if (this.isDry) return void (this.tally.created += 1)
    const licenseKey = known ?? await newKeys!.make(license)
    const seats = seatsOf(license, parts)
    this.tally.waitingDevices += parts.devices.filter(({ status }) => status === "active").length -
      seats.filter(({ status }) => status === "active").length
    const hasSeats = seats.length > 0 && status === "suspended"
    let made = await client.licenses.lookup({ license_key: licenseKey }).then(
      (found) => found as unknown as Entry,
      (cause: unknown) => codeOf(cause) === "NOT_FOUND" ? undefined : Promise.reject(cause)
    )
    this.tally[made === undefined ? "created" : "already"] += 1
    if (made === undefined) {
      const body = licenseRequest(license, ids, licenseKey, hasSeats ? "active" : status)
      const created = await this.attempt("licenses", license.id, () => client.licenses.create(body))
      if (created === undefined) return void (this.tally.created -= 1)
      made = created.license as unknown as Entry
      await this.parts(license, made.id, parts, {
        licenseKey,
        seats,
        isInForce: !["revoked", "expired"].includes(status)
      })
    }
    const { id } = made
    if (status === "suspended" && made["status"] !== "suspended") {
      await this.attempt("licenses", license.id, () => client.licenses.suspend(id))
    }
    const times = ["starts_at", "expires_at", "maintenance_expires_at"].filter((name) => license[name] !== made![name])
    const isOpen = license["awaits_activation"] === true || license["follows_subscription"] === true
    if (times.length > 0 && !isOpen) {
      const body = Object.fromEntries(times.map((name) => [name, license[name] ?? null]))
      await this.attempt("licenses", license.id, () => client.licenses.update(id, body))
    }
    ids.set(license.id, id)
    const after = await client.licenses.get(id) as unknown as Entry
    const hidden = known === undefined || newKeys !== undefined ? ["license_key_prefix", "license_key_last4"] : []
    this.found("licenses", license.id, differencesOf("licenses", license, after, ids, hidden))
    await this.compareParts(license, id, parts, seats)
  }

  private async parts(
    license: Entry,
    id: string,
    { features, values }: LicenseParts,
    { isInForce, licenseKey, seats }: {
      readonly licenseKey: string
      readonly seats: ReadonlyArray<Entry>
      readonly isInForce: boolean
    }
  ) {
    const { client, ids } = this
    const about = (file: string, request: () => PromiseLike<unknown>) => this.attempt(file, license.id, request)
    for (const feature of features) {
      const body = featureRequest(feature, ids)
      if (body !== undefined) await about("license_features", () => client.licenses.assignFeature(id, body))
      const credits = Number(feature["credits"] ?? 0)
      if (Number(feature["total_consumptions"]) === 0 && credits === 0) continue
      await about("license_features", () => client.licenses.resetUsage(id, usageRequest(feature, ids, credits)))
    }
    await this.values("licenses", license.id, id, values)
    if (!isInForce) {
      this.tally.waitingDevices += seats.filter((device) => device["status"] === "active").length
      return
    }
    // A device that is blacklisted holds no seat, so it comes first and frees the one that it took.
    const ordered = seats.toSorted((a, b) => Number(a["status"] === "active") - Number(b["status"] === "active"))
    for (const device of ordered) {
      const answer = await about("devices", () => client.runtime.activate(deviceRequest(device), { licenseKey }))
      const made = (answer as { readonly device_id?: string } | undefined)?.device_id
      if (made !== undefined && device["status"] === "blacklisted") {
        await about("devices", () => client.licenses.blacklistDevice(id, made))
      }
    }
  }

  private async compareParts(
    license: Entry,
    id: string,
    { features, values }: LicenseParts,
    seats: ReadonlyArray<Entry>
  ) {
    const { client, ids } = this
    const compare = (
      file: "license_features" | "license_custom_fields" | "devices",
      before: ReadonlyArray<Entry>,
      after: ReadonlyArray<Entry>,
      keyOf: (entry: Entry, isBefore: boolean) => unknown
    ) => {
      const there = new Map(after.map((entry) => [keyOf(entry, false), entry]))
      for (const entry of before) {
        const found = there.get(keyOf(entry, true))
        this.found(
          file,
          license.id,
          found === undefined ? [`${String(keyOf(entry, true))} is not there`] : differencesOf(file, entry, found, ids)
        )
      }
    }
    if (features.length > 0) {
      const after = await all(client.licenses.listFeatures(id, limit))
      compare("license_features", features, after, ({ feature_code }) => feature_code)
    }
    const given = values.filter((value) => valueRequest(value) !== undefined)
    if (given.length > 0) {
      const after = await all(client.licenses.listCustomFieldValues(id, limit))
      compare("license_custom_fields", given, after, ({ code }) => code)
    }
    const isOver = license["status"] === "revoked" || license["status"] === "expired" ||
      license["suspended_by"] !== undefined
    const expected = isOver
      ? seats.filter((device) => device["status"] === "blacklisted")
      : seats
    if (expected.length > 0) {
      const after = await all(client.licenses.listDevices(id, limit))
      compare("devices", expected, after, ({ binding_key }) => binding_key)
    }
  }
}

interface LicenseParts {
  readonly features: ReadonlyArray<Entry>
  readonly values: ReadonlyArray<Entry>
  readonly devices: ReadonlyArray<Entry>
  readonly leases: ReadonlyArray<Entry>
}

/**
 * The devices of a license that hold a seat or are blacklisted. One that has a floating seat need not have one of its own
 * beside it: where the count of the license does not say that all of these have, each takes what it needs at its next start.
 */
const seatsOf = (license: Entry, { devices, leases }: LicenseParts): ReadonlyArray<Entry> => {
  const leased = new Set(leases.filter(({ status }) => status === "active").map((lease) => lease["device_id"]))
  const active = devices.filter(({ status }) => status === "active")
  const isEach = license["active_device_count"] === active.length
  return devices.filter(({ id, status }) =>
    status === "blacklisted" || (status === "active" && (isEach || !leased.has(id)))
  )
}

/** Brings all licenses of an export, a few at once, each with what is its own. */
export const moveLicenses = async (
  move: Move,
  directory: string,
  { keys, newKeys }: { readonly keys: KnownKeys; readonly newKeys: NewKeys | undefined },
  advance: () => void
): Promise<void> => {
  const features = new OwnedEntries(directory, "license_features", "license_id")
  const values = new OwnedEntries(directory, "license_custom_fields", "resource_id")
  const devices = new OwnedEntries(directory, "devices", "license_id")
  const leases = new OwnedEntries(directory, "leases", "license_id")
  let waiting: Array<() => Promise<void>> = []
  const drain = async () => {
    await Promise.all(waiting.map((bring) => bring()))
    waiting = []
  }
  for await (const license of entriesOf(directory, "licenses")) {
    const parts = {
      features: await features.take(license.id),
      values: await values.take(license.id),
      devices: await devices.take(license.id),
      leases: await leases.take(license.id)
    }
    waiting.push(async () => {
      await move.license(license, parts, keys, newKeys)
      advance()
    })
    if (waiting.length === atOnce) await drain()
  }
  await drain()
}
