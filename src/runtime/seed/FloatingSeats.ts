import { licenseActor } from "../../services/events/Provenance.ts"
import type { HeldLease, LicenseLife, Scene, Seat } from "./LicenseLife.ts"
import { instant, workingInstant } from "./Telling.ts"
import type { UseOptions } from "./Uses.ts"
import type { Plan } from "./Vendor.ts"

const hour = 3_600_000
const day = 24 * hour
const system = { type: "system", id: "countersign" } as const

/** Plans who takes the floating seats of a license and gives them back; nothing where its plan has none. */
export const tellFloatingSeats = (
  { agenda, chance }: Scene,
  plan: Plan,
  life: LicenseLife,
  { bought, until, use }: Pick<UseOptions, "bought" | "until" | "use">
): void => {
  const { max_floating_users } = plan.policy
  if (max_floating_users === undefined) return
  const takeSeat = (index: number) => {
    const floaters = life.seats.filter(({ floating }) => floating)
    const open = life.leases.filter(({ status }) => status === "active").length
    if (!life.serves) return
    if (open >= max_floating_users) return life.refuse("lease.checked_out", [403, "FLOATING_LIMIT_EXCEEDED"])
    let seat: Seat | undefined = floaters[index]
    if (seat?.device.status === "active") return
    if (seat === undefined) {
      seat = life.machine()
      seat.floating = true
    }
    give(life.checkOut(seat))
  }
  const give = (lease: HeldLease) => {
    const taken = agenda.now
    const length = plan.policy.floating_timeout_minutes * 60_000
    const isForgotten = chance.happens(0.2)
    const last = Math.max(taken, agenda.lasting(taken + chance.upTo(9 * hour)))
    const beat = (at: number) => {
      lease.last_heartbeat_at = instant(at)
      lease.expires_at = instant(at + length)
    }
    agenda.plan(last, () => {
      if (lease.status !== "active") return
      beat(agenda.now)
      if (!isForgotten) life.endLease(lease, "checked_in", licenseActor(life.id))
    })
    if (isForgotten) {
      agenda.plan(last + length + 900, () => {
        if (lease.status === "active") life.endLease(lease, "expired", system)
      })
    }
  }
  const count = Math.floor(18 * Math.min(1, use) * (until - bought) / (365 * day) + 2)
  for (let index = 0; index < count; index++) {
    agenda.plan(agenda.lasting(workingInstant(chance, bought + 2 * hour, until)), () => takeSeat(index % 4))
  }
  for (const index of [0, 1, 2, 3, 4, 5]) {
    if (chance.happens(0.4)) agenda.plan(until - chance.upTo(5 * hour), () => takeSeat(index))
  }
}
