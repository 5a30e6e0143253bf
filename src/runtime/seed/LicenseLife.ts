import type { Lease } from "../../domain/entitlements/Lease.ts"
import type { EventKind } from "../../domain/events/EventKind.ts"
import type { Device } from "../../domain/licenses/Device.ts"
import type { License, LicenseState } from "../../domain/licenses/License.ts"
import { statusOf } from "../../domain/licenses/LicenseStatus.ts"
import type { Announced } from "../../domain/lifecycle/LicenseExpiry.ts"
import { expiringAhead } from "../../domain/lifecycle/LicenseExpiry.ts"
import { licenseKeyLast4, licenseKeyPrefix } from "../../domain/security/Credential.ts"
import type { Actor } from "../../services/events/Provenance.ts"
import { licenseActor } from "../../services/events/Provenance.ts"
import { devicePersonal } from "../../services/licenses/Devices.ts"
import { licensePersonal } from "../../services/licenses/Licenses.ts"
import type { Chance } from "./Chance.ts"
import type { CustomerNames } from "./Names.ts"
import type { Agenda, Told, ToldRefusal } from "./Telling.ts"
import { idAt, instant } from "./Telling.ts"
import type { Plan } from "./Vendor.ts"

/** The facts that the lives of one account's licenses share. */
export interface Scene {
  readonly chance: Chance
  readonly agenda: Agenda
  readonly told: Told
  /** The number of the account. */
  readonly account: number
  readonly customerId: string
  readonly names: CustomerNames
  /** Refusals before this instant are forgotten: they are kept for a time only. */
  readonly refusalsFrom: number
}

type Writable<A> = { -readonly [Key in keyof A]: A[Key] }

/** A seat of a machine, and whether it is there only for a lease. */
export interface Seat {
  readonly device: Writable<Device>
  floating: boolean
}

/** A lease that is open or has ended. */
export type HeldLease = Writable<Lease>

const hostnames = ["studio", "render", "lab", "desk", "build", "atelier", "macbook", "ws"] as const
const systems = ["Windows 11", "macOS 15", "Ubuntu 24.04", "Windows 10", "Fedora 42"] as const
const day = 86_400_000

/** One license as it lives: what happens to it changes it, and is told. */
export class LicenseLife {
  readonly #scene: Scene
  readonly #plan: Plan
  readonly #keyHash: string
  readonly #license: Writable<Omit<License, "status">>
  #state: LicenseState = "active"
  #announced: Announced = "nothing"
  #requests = 0
  readonly seats: Array<Seat> = []
  readonly leases: Array<HeldLease> = []

  constructor(
    scene: Scene,
    plan: Plan,
    { key, keyHash, order_id, subscription_id }: {
      readonly key: string
      readonly keyHash: string
      readonly order_id: string | undefined
      readonly subscription_id: string | undefined
    }
  ) {
    this.#scene = scene
    this.#plan = plan
    this.#keyHash = keyHash
    const { agenda, chance, names } = scene
    const at = agenda.now
    const person = names.person()
    const { days, policy } = plan
    this.#license = {
      id: idAt(chance, "lic", at),
      product_id: plan.product.id,
      policy_id: policy.id,
      customer_id: scene.customerId,
      ...(order_id === undefined ? {} : { order_id }),
      ...(subscription_id === undefined ? {} : { subscription_id }),
      license_key_prefix: licenseKeyPrefix(key),
      license_key_last4: licenseKeyLast4(key),
      customer_email: person.email,
      customer_name: person.name,
      active_device_count: 0,
      times_activated: 0,
      times_transferred: 0,
      total_consumptions: 0,
      entitlement_version: 1,
      ...(days === undefined ? {} : { expires_at: instant(at + days * day) }),
      ...(policy.maintenance_duration === undefined ? {} : { maintenance_expires_at: instant(at + 365 * day) }),
      metadata: { source: plan.sale === "none" ? "website" : "shop" },
      created_at: instant(at),
      updated_at: instant(at)
    }
  }

  get id(): string {
    return this.#license.id
  }

  get expiresAt(): number | undefined {
    return this.#license.expires_at === undefined ? undefined : Date.parse(this.#license.expires_at)
  }

  get state(): LicenseState {
    return this.#state
  }

  get #grace(): number {
    return this.#plan.policy.grace_period_days
  }

  get status(): License["status"] {
    return statusOf({
      state: this.#state,
      starts_at: undefined,
      expires_at: this.expiresAt,
      grace_period_days: this.#grace,
      now: this.#scene.agenda.now
    })
  }

  /** Whether an app may run on it now. */
  get serves(): boolean {
    return this.status === "active" || this.status === "grace_period"
  }

  /** The license as the wire shows it now. */
  shown(): License {
    return { ...this.#license, status: this.status }
  }

  /** Tells an event of now; answers its id, its instant and the id of its request. */
  tell(
    type: EventKind,
    resourceId: string,
    data: object,
    { actor, metadata, personal }: {
      readonly actor: Pick<Actor, "type" | "id">
      readonly metadata?: Readonly<Record<string, string>>
      readonly personal?: ReadonlyArray<string>
    }
  ) {
    const { account, agenda, chance, told } = this.#scene
    const at = agenda.next()
    const id = idAt(chance, "evt", at)
    const requestId = actor.type === "system" ? undefined : idAt(chance, "req", at)
    told.events.push({
      id,
      at,
      account,
      type,
      resourceId,
      data,
      ...(metadata === undefined ? {} : { metadata }),
      ...(personal === undefined ? {} : { personal }),
      actor,
      origin: {
        requestId,
        ipAddress: actor.type === "system" ? undefined : actor.type === "license" ? this.#address() : "192.0.2.10",
        traceparent: undefined
      }
    })
    return { id, at, requestId }
  }

  #address(): string {
    return `203.0.113.${1 + (this.#scene.account * 7 + this.#requests++ % 3) % 250}`
  }

  /** Changes members of the license, and tells of it. */
  change(
    type: EventKind,
    actor: Pick<Actor, "type" | "id">,
    members: Partial<License>,
    metadata?: Readonly<Record<string, string>>
  ): void {
    const decides = type !== "license.created"
    Object.assign(this.#license, members, {
      updated_at: instant(this.#scene.agenda.now),
      ...(decides ? { entitlement_version: this.#license.entitlement_version + 1 } : {})
    })
    this.tell(type, this.id, this.shown(), {
      actor,
      personal: licensePersonal,
      ...(metadata === undefined ? {} : { metadata })
    })
  }

  /** Suspends, reinstates or revokes it. */
  decide(
    type: "license.suspended" | "license.reinstated" | "license.revoked",
    actor: Pick<Actor, "type" | "id">
  ): void {
    this.#state = type === "license.reinstated" ? "active" : type === "license.revoked" ? "revoked" : "suspended"
    if (type === "license.revoked") {
      for (const lease of this.leases) if (lease.status === "active") this.endLease(lease, "revoked", actor)
      for (const { device } of this.seats) if (device.status === "active") device.status = "deactivated"
      this.#license.active_device_count = 0
    }
    this.change(type, actor, {})
  }

  /** Renews it until an instant. */
  renew(expiresAt: number, actor: Pick<Actor, "type" | "id">): void {
    const previous_expires_at = this.#license.expires_at!
    this.#announced = "nothing"
    this.change("license.renewed", actor, { expires_at: instant(expiresAt) }, { previous_expires_at })
  }

  /** Plans what time alone brings at its expiry, unless it was renewed by then. */
  expectExpiry(): void {
    const { agenda } = this.#scene
    const expiry = this.expiresAt
    if (expiry === undefined) return
    const announce = (
      at: number,
      type: "license.expiring" | "license.grace_started" | "license.expired",
      announced: Announced
    ) =>
      agenda.plan(at, () => {
        if (this.expiresAt !== expiry || this.#state !== "active") return
        this.#announced = announced
        this.tell(type, this.id, this.shown(), {
          actor: { type: "system", id: "countersign" },
          personal: licensePersonal,
          metadata: { expires_at: instant(expiry) }
        })
      })
    // A sweep comes up to a second later than the crossing.
    announce(expiry - expiringAhead + 400, "license.expiring", "expiring")
    if (this.#grace > 0) announce(expiry + 400, "license.grace_started", "grace_period")
    announce(expiry + this.#grace * day + 400, "license.expired", "expired")
  }

  /** A machine that the license has not seen yet. */
  machine(): Seat {
    const { agenda, chance } = this.#scene
    const at = instant(agenda.now)
    const fingerprint = Buffer.from(chance.bytes(16)).toString("hex")
    const seat: Seat = {
      floating: false,
      device: {
        id: idAt(chance, "dev", agenda.now),
        license_id: this.id,
        binding_kind: "hardware",
        binding_key: fingerprint,
        fingerprint,
        hostname: `${chance.pick(hostnames)}-${String(chance.whole(1, 40)).padStart(2, "0")}`,
        os: chance.pick(systems),
        ip_address: this.#address(),
        is_vm: false,
        is_container: false,
        status: "active",
        first_seen_at: at,
        last_seen_at: at,
        metadata: {},
        created_at: at,
        updated_at: at
      }
    }
    this.seats.push(seat)
    return seat
  }

  /** Gives a machine an activation seat, or takes it away. */
  seat({ device }: Seat, type: "license.activated" | "license.deactivated"): void {
    const isTaken = type === "license.activated"
    device.status = isTaken ? "active" : "deactivated"
    const now = instant(this.#scene.agenda.now)
    device.updated_at = now
    this.#license.active_device_count += isTaken ? 1 : -1
    if (isTaken) this.#license.times_activated += 1
    this.#license.updated_at = now
    this.tell(type, this.id, { ...this.shown(), device: { ...device } }, {
      actor: licenseActor(this.id),
      metadata: { device_id: device.id },
      personal: [...licensePersonal, ...devicePersonal.map((pointer) => pointer.replace("/data", "/data/device"))]
    })
  }

  /** Resets or blocks a machine, as support does. */
  retire({ device }: Seat, status: "reset" | "blacklisted", actor: Pick<Actor, "type" | "id">): void {
    device.status = status
    device.updated_at = instant(this.#scene.agenda.now)
    this.#license.active_device_count -= 1
    this.tell(`device.${status}`, device.id, { ...device }, {
      actor,
      metadata: { license_id: this.id },
      personal: devicePersonal
    })
  }

  /** Takes a floating seat for a machine that holds none. */
  checkOut(seat: Seat): HeldLease {
    const { agenda, chance } = this.#scene
    const at = agenda.now
    const { device } = seat
    Object.assign(device, { status: "active", last_seen_at: instant(at), updated_at: instant(at) })
    seat.floating = true
    const lease: HeldLease = {
      id: idAt(chance, "lease", at),
      license_id: this.id,
      device_id: device.id,
      status: "active",
      checked_out_at: instant(at),
      expires_at: instant(at + this.#plan.policy.floating_timeout_minutes * 60_000)
    }
    this.leases.push(lease)
    this.tell("lease.checked_out", lease.id, { ...lease, device: { ...device } }, {
      actor: licenseActor(this.id),
      metadata: { license_id: this.id, device_id: device.id },
      personal: devicePersonal.map((pointer) => pointer.replace("/data", "/data/device"))
    })
    return lease
  }

  /** Ends a lease that is open. */
  endLease(lease: HeldLease, reason: "checked_in" | "expired" | "revoked", actor: Pick<Actor, "type" | "id">): void {
    const { device } = this.seats.find(({ device: { id } }) => id === lease.device_id)!
    Object.assign(lease, { status: reason, ended_at: instant(this.#scene.agenda.now) })
    if (device.status === "active") device.status = reason === "expired" ? "expired" : "deactivated"
    this.tell(reason === "expired" ? "lease.expired" : "lease.checked_in", lease.id, { ...lease }, {
      actor,
      metadata: { license_id: this.id, device_id: lease.device_id, reason }
    })
  }

  /** Counts an amount on the license. */
  count(amount: number): void {
    this.#license.total_consumptions += amount
  }

  /** Tells of a request of its app that was refused now. */
  refuse(
    action: ToldRefusal["action"],
    [status_code, code]: readonly [number, string],
    about: Pick<ToldRefusal, "device_id" | "feature_code"> = {},
    by?: string
  ): void {
    const { agenda, chance, customerId, refusalsFrom, told } = this.#scene
    const at = agenda.next()
    if (at < refusalsFrom) return
    told.refusals.push({
      id: idAt(chance, "act", at),
      at,
      action,
      source: by === undefined ? "runtime" : "management",
      actor_type: by === undefined ? "license" : "api_key",
      actor_id: by ?? this.id,
      status_code,
      code,
      request_id: idAt(chance, "req", at),
      license_id: this.id,
      product_id: this.#license.product_id,
      customer_id: customerId,
      order_id: this.#license.order_id,
      subscription_id: this.#license.subscription_id,
      ...about
    })
  }

  /** Writes the rows of what there is in the end. */
  settle(): void {
    const { chance, told: { rows } } = this.#scene
    rows.licenses.push({ ...this.#license, state: this.#state, announced: this.#announced })
    rows.license_keys.push({
      key_hash: `\\x${this.#keyHash}`,
      license_id: this.id,
      created_at: this.#license.created_at
    })
    for (const { device, floating } of this.seats) rows.devices.push({ ...device, floating })
    for (const { status, ...lease } of this.leases) {
      rows.leases.push({
        ...lease,
        generation: 1,
        token_hash: `\\x${Buffer.from(chance.bytes(32)).toString("hex")}`,
        rotated_at: lease.last_heartbeat_at ?? lease.checked_out_at,
        end_reason: status === "active" ? null : status
      })
    }
  }
}
