import { Context, Effect, Layer } from "effect"
import type { JobFailure } from "../../domain/jobs/Job.ts"
import type { JobAction, JobParameters } from "../../domain/jobs/LicenseJob.ts"
import { retagged } from "../../domain/licensing/licenses/Tags.ts"
import { isSameJson } from "../../domain/ground/wire/CanonicalJson.ts"
import { StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { NotFound, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../domain/ground/wire/FieldFindings.ts"
import { Licenses } from "../licensing/licenses/Licenses.ts"
import type { HeldLicense } from "../licensing/licenses/Licenses.ts"
import { LicenseRenewals } from "../licensing/lifecycle/LicenseRenewals.ts"
import { PolicyChanges } from "../licensing/lifecycle/PolicyChanges.ts"

/** The reasons why a license could not be changed. */
export type RowError = NotFound | StateConflict | ValidationError

const already = (what: string): JobFailure => ({ code: "ALREADY", message: `The license ${what} already.` })

/** The state of a license of which an action changes nothing. */
const unchanged: Readonly<Record<JobAction, JobFailure>> = {
  suspend: already("is suspended"),
  reinstate: already("is not suspended"),
  revoke: already("is revoked"),
  renew: already("has this end"),
  change_policy: already("is under this policy"),
  tag: already("has these tags"),
  untag: already("does not have these tags")
}

/**
 * A job acts on one license by the operation of a single license, by the same service. It is the one way from a job to a
 * license, so that what a single operation decides, refuses or asks for holds for a job as well.
 */
export class JobActions extends Context.Service<JobActions, {
  /** Does an action to a license in the surrounding transaction; answers why there was nothing to do, if so. */
  readonly run: (
    action: JobAction,
    licenseId: string,
    parameters: JobParameters,
    /** Judges the license once it is held: why it is not one of the job any more, if so. */
    judge?: Effect.Effect<JobFailure | undefined>
  ) => Effect.Effect<JobFailure | undefined, RowError>
}>()("countersign/services/jobs/JobActions") {
  static readonly layer = Layer.effect(
    JobActions,
    Effect.gen(function*() {
      const licenses = yield* Licenses
      const renewals = yield* LicenseRenewals
      const changes = yield* PolicyChanges

      const retag = Effect.fnUntraced(
        function*(held: HeldLicense, action: "tag" | "untag", tags: ReadonlyArray<string>) {
          const before = held.license.tags ?? []
          const after = retagged(before, action === "tag" ? { add: tags } : { remove: tags })
          if (after === undefined) {
            return yield* invalidField("tags", "too_long", "would be more than 20 with those there are")
          }
          if ((after ?? []).length === before.length) return held.license
          return yield* licenses.write(held, { tags: after }, { type: "license.updated" })
        }
      )

      const changed = (
        action: JobAction,
        held: HeldLicense,
        { change_policy, renew = {}, tags = [] }: JobParameters
      ) => {
        const { id } = held.license
        switch (action) {
          case "suspend":
            return licenses.suspend(id)
          case "reinstate":
            return licenses.reinstate(id)
          case "revoke":
            return licenses.revoke(id)
          case "renew":
            // A reseller makes no jobs.
            return Effect.catchTag(renewals.renew(id, renew), "TOKEN_SCOPE_DENIED", (denied) => Effect.die(denied))
          case "change_policy":
            return Effect.map(changes.change(id, change_policy!), ({ data }) => data.license)
          case "tag":
          case "untag":
            return retag(held, action, tags)
        }
      }

      const run = Effect.fn("JobActions.run")(
        function*(
          action: JobAction,
          licenseId: string,
          parameters: JobParameters,
          judge: Effect.Effect<JobFailure | undefined> = Effect.undefined
        ) {
          const held = yield* licenses.hold(licenseId)
          const left = yield* judge
          if (left !== undefined) return left
          if (action === "change_policy" && held.license.policy_id === parameters.change_policy?.policy_id) {
            return unchanged.change_policy
          }
          const after = yield* changed(action, held, parameters)
          // Times do not tell: another transaction may have written the license in the same millisecond.
          return isSameJson(after, held.license) ? unchanged[action] : undefined
        }
      )

      return JobActions.of({ run })
    })
  )
}
