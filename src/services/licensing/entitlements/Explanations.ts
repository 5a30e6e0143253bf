import { Context, Effect, Layer } from "effect"
import type { RuntimeOperation } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { findingOf } from "../../../domain/licensing/explaining/Explanation.ts"
import type { ExplainRequest, Explanation } from "../../../domain/licensing/explaining/Explanation.ts"
import { judgeCall, judgedSubjects } from "../../../domain/licensing/explaining/JudgedCall.ts"
import type { LicenseStanding } from "../../../domain/licensing/explaining/JudgedCall.ts"
import { effectiveRules } from "../../../domain/catalog/terms/EffectiveTerms.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { NotFound, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { makeUserStandings } from "../standings/UserStandings.ts"
import type { LicensePast } from "./DevicesThen.ts"
import { LicenseHistory } from "./LicenseHistory.ts"

import { LicenseStandingReader } from "./LicenseStandingReader.ts"
import { findExplainedTime, readInstant } from "./LicenseStandingSql.ts"

/** The calls that know a device by its components. */
const knownByComponents: ReadonlySet<RuntimeOperation | undefined> = new Set(["activate", "checkout"])

/** Explains how a runtime call would be decided, now or at another instant, without making it. */
export class Explanations extends Context.Service<Explanations, {
  readonly explain: (id: string, request: ExplainRequest) => Effect.Effect<Explanation, NotFound | ValidationError>
}>()("countersign/services/licensing/entitlements/Explanations") {
  static readonly layer = Layer.effect(
    Explanations,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const past = yield* LicenseHistory
      const present = yield* LicenseStandingReader
      const users = yield* makeUserStandings

      /** How the user stands whom the call would name, or stood then; undefined where the terms have none. */
      const userOf = Effect.fnUntraced(function*(
        { device, license, policy }: LicenseStanding,
        { binding }: ExplainRequest,
        now: Date,
        then: LicensePast["userThen"] | undefined
      ) {
        const { hold_offline_seats, max_users } = effectiveRules({
          policy: rulesOf(policy),
          overrides: license.overrides,
          withoutGrace: undefined
        })
        if (max_users === undefined || binding === undefined) return undefined
        const token = binding.user_token
        const asked = { license_id: license.id, device_id: device?.id ?? null, now, token, hold_offline_seats }
        const [user] = yield* users.standings([asked], then)
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
        const before = is_past ? yield* past.read(question) : undefined
        const standing = before ?? (yield* present.read(question))
        const user = yield* userOf(standing, request, at, before?.userThen)
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
