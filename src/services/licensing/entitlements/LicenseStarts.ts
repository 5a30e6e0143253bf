import { Effect, Result } from "effect"
import { snapshotOf } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { startOf } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import type { Started } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import type { Licenses } from "../licenses/Licenses.ts"
import { updateStarted } from "./LicenseStandingSql.ts"

/** Licenses that the calls of a round start: the first activation or checkout of a license that waited for it. */
export class LicenseStarts {
  readonly #started = new Map<string, Started & { readonly origin: Origin }>()

  /**
   * The snapshot as it is once the call has started its license; itself where there is nothing to start. It was decided
   * before that the call may: the rule term_out_of_range refuses what cannot start.
   */
  begin<Known extends Snapshot>(snapshot: Known, origin: Origin): Known {
    if (!snapshot.awaits_activation) return snapshot
    const { license_id, maintenance_expires_at, now, row } = snapshot
    const started = this.#started.get(license_id) ??
      { ...Result.getOrThrow(startOf(snapshot, maintenance_expires_at?.toISOString(), now)), origin }
    this.#started.set(license_id, started)
    const at = (instant: string | null) => instant === null ? null : new Date(instant)
    return {
      ...snapshot,
      ...snapshotOf({
        ...row,
        starts_at: at(started.starts_at),
        expires_at: at(started.expires_at),
        maintenance_expires_at: at(started.maintenance_expires_at),
        entitlement_version: row.entitlement_version + 1n,
        more: row.more && { ...row.more, awaits_activation: null }
      }, { id: snapshot.product_id, code: snapshot.product_code })
    }
  }

  /** The licenses that were started, by license. */
  get licenses(): ReadonlyMap<string, Started> {
    return this.#started
  }

  /** Writes what was started, each with its event. The licenses are locked. */
  settle(sql: Database, licenses: Licenses["Service"]): Effect.Effect<void> {
    return Effect.forEach(
      this.#started,
      ([id, { origin, ...started }]) =>
        Effect.andThen(
          updateStarted(sql, id, started),
          licenses.record("license.started", id)
        ).pipe(
          Effect.provideService(CurrentActor, licenseActor(id)),
          Effect.provideService(RequestOrigin, origin)
        ),
      { discard: true }
    )
  }
}
