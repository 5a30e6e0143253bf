import { isCountersignError } from "../../client/api/index.ts"
import type { License, LicenseCreateRequest } from "../../client/api/index.ts"
import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import { OwnedEntries, resourcesOf } from "./ExportDirectory.ts"
import type { Entry, Resource } from "./ExportDirectory.ts"
import type { KnownKeys, NewKeys } from "./KnownKeys.ts"
import { all, limit } from "./Move.ts"
import type { Move } from "./Move.ts"
import { deviceRequest, featureRequest, licenseRequest, usageRequest } from "./MovedCatalog.ts"
import { comparedGrant, differencesOf, grantsFor, isHidden, withoutGrants } from "./MovedGrants.ts"
import type { MovedGrant } from "./MovedGrants.ts"

const personal = ["email", "name", "issuer", "subject"] as const

/** Bodies are built from answers of the same operations, so they are valid; the generated types cannot know that. */
type Body = any

/** The members that say who a user is. */
const whoOf = (user: Entry): Body =>
  Object.fromEntries(personal.flatMap((name) => user[name] === undefined ? [] : [[name, user[name]]]))

const accountOf = (user: Entry): string =>
  JSON.stringify(user["subject"] === undefined ? [user["email"]] : [user["issuer"], user["subject"]])

/** The users of an export who are invited here: everybody who was not removed, and was not erased. */
const invited = (users: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  users.filter((user) => user["status"] !== "removed" && (user["subject"] ?? user["email"]) !== undefined)

const usersHere = async (move: Move, id: string): Promise<ReadonlyArray<Entry>> =>
  (await all(move.client.licenses.listUsers(id, limit))).filter(({ status }) => status !== "removed")

/**
 * Invites the users of a license by their accounts, or by their addresses, and mails that only where it was asked for. Each takes the seat
 * again by signing in.
 */
export const bringUsers = async (
  move: Move,
  license: Resource,
  id: string,
  users: ReadonlyArray<Entry>
): Promise<void> => {
  const wanted = invited(users)
  if (wanted.length === 0) return
  const there = new Set((await usersHere(move, id)).map(accountOf))
  for (const user of wanted) {
    if (there.has(accountOf(user))) continue
    const body = move.notifies ? whoOf(user) : { ...whoOf(user), delivery: "none" }
    await move.attempt("license_users", license.id, () => move.client.licenses.inviteUser(id, body))
  }
}

/** Compares the users of a license with those of an export, in who they are. */
const compareUsers = async (
  move: Move,
  license: Resource,
  id: string,
  users: ReadonlyArray<Entry>
): Promise<void> => {
  const wanted = invited(users)
  if (wanted.length === 0) return
  const there = await usersHere(move, id)
  move.compare("license_users", license.id, wanted.map(whoOf), there.map(whoOf), accountOf)
}

/** Licenses that are brought at once. */
const atOnce = 8

const codeOf = (cause: unknown): string | undefined => isCountersignError(cause) ? cause.code : undefined

interface LicenseParts {
  readonly features: ReadonlyArray<Entry>
  readonly grants: ReadonlyArray<Entry>
  readonly users: ReadonlyArray<Entry>
  readonly values: ReadonlyArray<Entry>
  readonly devices: ReadonlyArray<Entry>
  readonly leases: ReadonlyArray<Entry>
}

/** A license that is imported, with its parts. */
interface Brought {
  readonly license: Resource
  readonly licenseKey: string
  /** Its final state. */
  readonly status: string
  readonly parts: LicenseParts
  readonly seats: ReadonlyArray<Entry>
}

/** Issues a license. Of many at once nobody is told: so is one of which nobody is to be told, by its owner's key of before. */
export const issued = async (
  { client, notifies }: Pick<Move, "client" | "notifies">,
  body: LicenseCreateRequest
): Promise<License> => {
  if (notifies) return (await client.licenses.create(body)).license
  const [row] = (await client.licenses.createMany({ licenses: [body] })).results
  if (row === undefined || !("license" in row)) throw new Error("The response lacks the license that was created")
  return row.license
}

/**
 * Imports a license with its parts: creates it if its key is unknown, completes it if an import has started it, and
 * compares it.
 */
const moveLicense = async (
  move: Move,
  license: Resource,
  parts: LicenseParts,
  { keys, newKeys }: { readonly keys: KnownKeys; readonly newKeys: NewKeys | undefined }
): Promise<void> => {
  const { client, ids, journal, tally } = move
  const known = keys.of(license)
  if (typeof known === "object" || (known === undefined && newKeys === undefined)) {
    const shown = `${String(license["license_key_prefix"] ?? "")}…${String(license["license_key_last4"])}`
    return move.found("licenses", license.id, [
      known === undefined
        ? `its key ${shown} is not among those of --keys: add it there, or say --new-keys <file> for new ones`
        : `${known.unclear} ${shown}: add a column license_id to the file of --keys`
    ])
  }
  // A license that its subscription has suspended is created active, and suspended by the subscription again.
  const status = license["suspended_by"] !== undefined ? "active" : String(license["status"])
  if (known === undefined) tally.newKeys += 1
  if (move.isDry) return void (tally.created += 1)
  const licenseKey = known ?? await newKeys!.make(license)
  const seats = seatsOf(license, parts)
  tally.waitingDevices += parts.devices.filter(({ status }) => status === "active").length -
    seats.filter(({ status }) => status === "active").length
  const there = await client.licenses.lookup({ license_key: licenseKey }).then(
    (found): Resource => ({ ...found }),
    (cause: unknown) => codeOf(cause) === "NOT_FOUND" ? undefined : Promise.reject(cause)
  )
  const isBegun = journal.isOpen(license.id)
  const brought: Brought = { license, licenseKey, status, parts, seats }
  let made: Resource | undefined = there
  if (made === undefined) {
    const hasSeats = seats.length > 0 && status === "suspended"
    const body = licenseRequest(license, ids, licenseKey, hasSeats ? "active" : status)
    await journal.begin(license.id)
    const created = await move.attempt("licenses", license.id, () => issued(move, body))
    if (created === undefined) return journal.end(license.id)
    made = { ...created }
  }
  tally[there === undefined ? "created" : isBegun ? "completed" : "already"] += 1
  if (journal.isOpen(license.id)) {
    await complete(move, brought, made)
    await journal.end(license.id)
  }
  const { id } = made
  ids.set(license.id, id)
  const after = { ...await client.licenses.get(id) }
  const hidden = known === undefined || newKeys !== undefined ? ["license_key_prefix", "license_key_last4"] : []
  move.found("licenses", license.id, differencesOf("licenses", license, after, ids, hidden))
  await compareParts(move, brought, id)
}

/** Adds the missing parts of a license that this import has started, and sets its state and times. */
const complete = async (move: Move, brought: Brought, made: Resource): Promise<void> => {
  const { client } = move
  const { license, parts, seats, status } = brought
  const { id } = made
  await bringFeatures(move, license, id, parts.features)
  for (const grant of movedGrants(move, parts)) await bringGrant(move, license, id, grant)
  await bringUsers(move, license, id, parts.users)
  await move.bringValues("licenses", license.id, id, parts.values)
  if (["revoked", "expired"].includes(status)) {
    move.tally.waitingDevices += seats.filter((device) => device["status"] === "active").length
  } else await bringDevices(move, brought, id)
  if (status === "suspended" && made["status"] !== "suspended") {
    await move.attempt("licenses", license.id, () => client.licenses.suspend(id))
  }
  const times = ["starts_at", "expires_at", "maintenance_expires_at"].filter((name) => license[name] !== made[name])
  const isOpen = license["awaits_activation"] === true || license["follows_subscription"] === true
  if (times.length > 0 && !isOpen) {
    const body = Object.fromEntries(times.map((name) => [name, license[name] ?? null]))
    await move.attempt("licenses", license.id, () => client.licenses.update(id, body))
  }
}

const bringFeatures = async (
  move: Move,
  license: Resource,
  id: string,
  features: ReadonlyArray<Entry>
): Promise<void> => {
  if (features.length === 0) return
  const { client, ids } = move
  const about = (request: () => PromiseLike<unknown>) => move.attempt("license_features", license.id, request)
  const there = new Map(
    (await all(client.licenses.listFeatures(id, limit))).map((feature) => [feature["feature_code"], feature])
  )
  for (const feature of features) {
    const found = there.get(feature["feature_code"])
    const body = featureRequest(feature, ids)
    if (body !== undefined && (found === undefined || found["from"] === "policy")) {
      await about(() => client.licenses.assignFeature(id, body))
    }
    const used = Number(feature["total_consumptions"])
    const credits = Number(feature["credits"] ?? 0)
    const usedHere = Number(found?.["total_consumptions"] ?? 0)
    // One request sets both, so both exist together. Usage by apps since an interrupted import counts too.
    if (usedHere >= used && Number(found?.["credits"] ?? 0) >= credits) continue
    const before = { ...feature, total_consumptions: used + usedHere }
    await about(() => client.licenses.resetUsage(id, usageRequest(before, ids, credits)))
  }
}

/** The grants that are given for those of a license. */
const movedGrants = ({ ids }: Move, { grants }: LicenseParts): ReadonlyArray<MovedGrant> => {
  const now = Date.now()
  return grants.flatMap((grant) => grantsFor(grant, ids, now))
}

/** Gives a grant; a repeated import gives it once, by its reference. */
const bringGrant = async (move: Move, license: Resource, id: string, { body, isRevoked }: MovedGrant) => {
  const { client } = move
  const about = <A>(request: () => PromiseLike<A>) => move.attempt("license_grants", license.id, request)
  const given = await about(() => client.licenses.createGrant(id, body))
  if (isRevoked && given !== undefined) await about(() => client.licenses.revokeGrant(id, given.id))
}

const bringDevices = async (move: Move, { license, licenseKey, seats }: Brought, id: string): Promise<void> => {
  if (seats.length === 0) return
  const { client } = move
  const about = (request: () => PromiseLike<unknown>) => move.attempt("devices", license.id, request)
  const there = new Map(
    (await all(client.licenses.listDevices(id, limit))).map((device) => [device["binding_key"], device])
  )
  // Blacklisted devices come first: each is activated and then blacklisted, which frees its seat.
  const ordered = seats.toSorted((a, b) => Number(a["status"] === "active") - Number(b["status"] === "active"))
  for (const device of ordered) {
    const found = there.get(device["binding_key"])
    if (found?.["status"] === device["status"] || found?.["status"] === "blacklisted") continue
    const answer = found ?? await about(() => client.runtime.activate(deviceRequest(device), { licenseKey }))
    const made = found?.["id"] ?? membersOf(answer)["device_id"]
    if (typeof made === "string" && device["status"] === "blacklisted") {
      await about(() => client.licenses.blacklistDevice(id, made))
    }
  }
}

const compareParts = async (
  move: Move,
  { license, parts, seats }: Brought,
  id: string
): Promise<void> => {
  const { client } = move
  const { features, values } = parts
  const wanted = movedGrants(move, parts)
  const grants = wanted.length === 0 ? [] : await all(client.licenses.listGrants(id, limit))
  if (features.length > 0) {
    const now = Date.now()
    const after = (await all(client.licenses.listFeatures(id, limit)))
      .map((feature) => withoutGrants(feature, { grants, now }))
    move.compare("license_features", license.id, features, after, ({ feature_code }) => feature_code)
  }
  const bodies = wanted.map(({ body }) => comparedGrant(body))
  move.compare("license_grants", license.id, bodies, grants.map(comparedGrant), ({ reference }) => reference)
  await compareUsers(move, license, id, parts.users)
  await move.compareValues("licenses", license.id, id, values)
  const isOver = license["status"] === "revoked" || license["status"] === "expired" ||
    license["suspended_by"] !== undefined
  const expected = isOver
    ? seats.filter((device) => device["status"] === "blacklisted")
    : seats
  if (expected.length > 0) {
    const after = await all(client.licenses.listDevices(id, limit))
    move.compare("devices", license.id, expected, after, ({ binding_key }) => binding_key)
  }
}

/**
 * The devices of a license that hold a seat or are blacklisted. A device with a floating seat may have no seat of its
 * own: unless the count of the license says that all of them have one, each gets its seat at its next start. So does a device
 * of a license with users, who have to sign in again.
 */
const seatsOf = (license: Entry, { devices, leases, users }: LicenseParts): ReadonlyArray<Entry> => {
  if (users.length > 0) return []
  const leased = new Set(leases.filter(({ status }) => status === "active").map((lease) => lease["device_id"]))
  const active = devices.filter(({ status }) => status === "active")
  const isEach = license["active_device_count"] === active.length
  return devices.filter(({ id, status }) =>
    status === "blacklisted" || (status === "active" && (isEach || !leased.has(id)))
  )
}

/** Imports all licenses of an export, a few at once, with their parts. */
export const moveLicenses = async (
  move: Move,
  from: { readonly keys: KnownKeys; readonly newKeys: NewKeys | undefined },
  advance: () => void
): Promise<void> => {
  const { directory } = move
  for await (const license of resourcesOf(directory, "licenses")) from.keys.expect(license)
  const features = new OwnedEntries(directory, "license_features", "license_id")
  const grants = new OwnedEntries(directory, "license_grants", "license_id")
  const users = new OwnedEntries(directory, "license_users", "license_id")
  const values = new OwnedEntries(directory, "license_custom_fields", "resource_id")
  const devices = new OwnedEntries(directory, "devices", "license_id")
  const leases = new OwnedEntries(directory, "leases", "license_id")
  let waiting: Array<() => Promise<void>> = []
  const drain = async () => {
    await Promise.all(waiting.map((bring) => bring()))
    waiting = []
  }
  for await (const license of resourcesOf(directory, "licenses")) {
    const given = { grants: await grants.take(license.id), now: Date.now() }
    const shown = await features.take(license.id)
    for (const feature of shown.filter((feature) => isHidden(feature, given))) {
      move.found("license_features", license.id, [
        `${
          String(feature["feature_code"])
        }: corrections take all of its quota, so this is a guess: check max_consumptions`
      ])
    }
    const parts = {
      features: shown.map((feature) => withoutGrants(feature, given)),
      grants: given.grants,
      users: await users.take(license.id),
      values: await values.take(license.id),
      devices: await devices.take(license.id),
      leases: await leases.take(license.id)
    }
    waiting.push(async () => {
      await moveLicense(move, license, parts, from)
      advance()
    })
    if (waiting.length === atOnce) await drain()
  }
  await drain()
}
