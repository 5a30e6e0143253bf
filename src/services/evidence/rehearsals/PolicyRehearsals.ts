import { Context, Effect, Layer } from "effect"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import { changeFindings } from "../../../domain/evidence/rehearsals/PolicyRehearsal.ts"
import type { PolicyRehearsal, PolicyRehearsalRequest } from "../../../domain/evidence/rehearsals/PolicyRehearsal.ts"
import type { Conflict, NotFound, TokenScopeDenied, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import { Policies } from "../../catalog/Policies.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { makeRehearsedLicenses } from "./RehearsedLicenses.ts"
import { changedQuotas } from "./RehearsedQuotas.ts"

/** Rehearses a change of a policy: decides the recorded calls of a window again under the changed terms. Nothing is written. */
export class PolicyRehearsals extends Context.Service<PolicyRehearsals, {
  readonly rehearse: (
    id: string,
    request: PolicyRehearsalRequest
  ) => Effect.Effect<PolicyRehearsal, NotFound | Conflict | TokenScopeDenied | ValidationError>
}>()("countersign/services/evidence/rehearsals/PolicyRehearsals") {
  static readonly layer = Layer.effect(
    PolicyRehearsals,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = makeRehearsedLicenses(sql)
      const policies = yield* Policies

      /** The change as it would be carried out, which is rolled back; one that PATCH refuses is refused alike. */
      const changeOf = Effect.fnUntraced(function*(
        id: string,
        { features = [], ...change }: PolicyRehearsalRequest["change"]
      ) {
        const { after, before, findings } = yield* policies.rehearseUpdate(id, change).pipe(
          Effect.catchTag("PRECONDITION_FAILED", Effect.die)
        )
        if (findings.length > 0) return yield* invalidRequest(changeFindings(findings))
        return { before: rulesOf(before!), after: rulesOf(after), quotas: yield* changedQuotas(sql, id, features) }
      })

      const rehearse = Effect.fn("PolicyRehearsals.rehearse")(function*(
        id: string,
        { change, ...asked }: PolicyRehearsalRequest
      ) {
        return yield* licenses.rehearse(id, yield* changeOf(id, change), asked)
      })

      return PolicyRehearsals.of({ rehearse })
    })
  )
}
