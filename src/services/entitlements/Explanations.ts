import { Context, Effect, Layer } from "effect"
import type { RuntimeOperation } from "../../domain/entitlements/DecisionInput.ts"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import { findingOf } from "../../domain/explaining/Explanation.ts"
import type { ExplainRequest, Explanation } from "../../domain/explaining/Explanation.ts"
import { judgeCall, judgedSubjects } from "../../domain/explaining/JudgedCall.ts"
import type { LicenseStanding } from "../../domain/explaining/JudgedCall.ts"
import { effectiveRules } from "../../domain/terms/EffectiveTerms.ts"
import { rulesOf } from "../../domain/terms/Rules.ts"
import type { NotFound, ValidationError } from "../../domain/wire/Errors.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { makeUserStandings } from "../standings/UserStandings.ts"
import { LicenseHistory } from "./LicenseHistory.ts"
import { findLastUserEvent } from "./LicenseHistorySql.ts"
import { LicenseStandingReader } from "./LicenseStandingReader.ts"
import { findExplainedTime, readInstant } from "./LicenseStandingSql.ts"

/** The calls that know a device by its components. */
const knownByComponents: ReadonlySet<RuntimeOperation | undefined> = new Set(["activate", "checkout"])

/** Explains how a runtime call would be decided, now or at another instant, without making it. */
export class Explanations extends Context.Service<Explanations, {
  readonly explain: (id: string, request: ExplainRequest) => Effect.Effect<Explanation, NotFound | ValidationError>
}>()("countersign/services/entitlements/Explanations") {
  static readonly layer = Layer.effect(
    Explanations,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const past = yield* LicenseHistory
      const present = yield* LicenseStandingReader
      const users = yield* makeUserStandings

      /**
       * How the user stands whom the call would name; undefined where the terms have none. Whether a user had a seat at a time in the past says
       * the log, and whose a device is, is known of today alone.
       */
      const userOf = Effect.fnUntraced(function*(
        { device, license, policy }: LicenseStanding,
        { binding }: ExplainRequest,
        { at: now, is_past }: { readonly at: Date; readonly is_past: boolean }
      ) {
        const { max_users } = effectiveRules({
          policy: rulesOf(policy),
          overrides: license.overrides,
          withoutGrace: undefined
        })
        if (max_users === undefined || binding === undefined) return undefined
        const asked = { license_id: license.id, device_id: device?.id ?? null, now, token: binding.user_token }
        const statusThen = (userId: string) =>
          Effect.map(
            findLastUserEvent(sql, { licenseId: license.id, userId, at: now }),
            ([row]) => row?.status
          )
        const [user] = yield* users.standings([asked], is_past ? statusThen : undefined)
        return user
      })

      const explain = Effect.fn("Explanations.explain")(function*(id: string, request: ExplainRequest) {
        const [time] = yield* findExplainedTime(sql, request.at)
        const { at, is_past } = readInstant(time!)
        const question = {
          licenseId: id,
          at,
          binding: request.binding && bindingOf(request.binding),
          deviceRequest: request.binding !== undefined && knownByComponents.has(request.operation)
            ? { licenseId: id, request: request.binding }
            : undefined,
          takeSeatOf: request.take_seat_of,
          call: { operation: request.operation, process_id: request.process_id },
          featureCode: request.feature_code
        }
        if (is_past) yield* licenses.get(id)
        const standing = yield* is_past ? past.read(question) : present.read(question)
        const user = yield* userOf(standing, request, { at, is_past })
        const { found, operation, status, terms } = judgeCall({ ...standing, user }, request, at)
        return {
          license_id: id,
          operation,
          at: at.toISOString(),
          source: is_past ? "log" : "current",
          is_allowed: found.length === 0,
          status,
          ...(found[0] === undefined ? {} : { deciding_rule: found[0].rule }),
          findings: found.map(findingOf),
          judged: judgedSubjects(request),
          // The status at the instant that was asked about; the stored one is of the time when it was written.
          license: { ...standing.license, status },
          policy: standing.policy,
          terms,
          ...(standing.device === undefined ? {} : { device: standing.device })
        } satisfies Explanation
      })

      return Explanations.of({ explain })
    })
  ).pipe(Layer.provide(LicenseHistory.layer), Layer.provide(LicenseStandingReader.layer))
}
