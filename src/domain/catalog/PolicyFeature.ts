import { Schema } from "effect"
import { DurationInput, DurationText } from "../terms/Duration.ts"
import { OverageText } from "../terms/Overage.ts"
import { Period } from "../terms/Period.ts"
import { nullable } from "../terms/Rules.ts"
import type { FieldFinding } from "../wire/Errors.ts"
import { bigCount, Metadata, text } from "../wire/Fields.ts"

/** What a feature's quota may say of its period and of use beyond it. */
export const quotaTerms = {
  period: Period.annotate({
    description: "When the quota starts again. Without it, never."
  }),
  overage: OverageText.annotate({
    description: "Beyond the quota: `deny`, the default; `allow`; or so much more, such as `10%`."
  })
}

const expiresAfterText = {
  description: "How long after its start a license has the feature, ISO 8601. Without it, as long as the license."
}

/** A feature as the licenses under a policy have it, unless they have it otherwise themselves. */
export const PolicyFeature = Schema.Struct({
  policy_id: Schema.String,
  feature_id: Schema.String,
  feature_code: Schema.String,
  feature_name: Schema.String,
  enabled: Schema.Boolean,
  max_consumptions: Schema.optionalKey(bigCount(0)),
  period: Schema.optionalKey(quotaTerms.period),
  overage: Schema.optionalKey(quotaTerms.overage),
  expires_after: Schema.optionalKey(DurationText.annotate(expiresAfterText)),
  metadata: Metadata
}).annotate({
  identifier: "PolicyFeature",
  examples: [{
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "render",
    feature_name: "Renders",
    enabled: true,
    max_consumptions: 1000,
    period: "month",
    overage: "10%",
    metadata: {}
  }]
})
export type PolicyFeature = typeof PolicyFeature.Type

export const PolicyFeatureAssign = Schema.Struct({
  feature_id: text(1, 64),
  enabled: Schema.optionalKey(Schema.Boolean),
  max_consumptions: Schema.optionalKey(Schema.NullOr(bigCount(0))),
  period: Schema.optionalKey(nullable(quotaTerms.period)),
  overage: Schema.optionalKey(nullable(quotaTerms.overage)),
  expires_after: Schema.optionalKey(nullable(DurationInput.annotate(expiresAfterText))),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "PolicyFeatureAssignRequest",
  examples: [{ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c", max_consumptions: 1000, period: "month" }]
})
export type PolicyFeatureAssign = typeof PolicyFeatureAssign.Type

/** What contradicts itself in how a feature would be granted. */
export const grantFindings = (
  left: { readonly max_consumptions?: number; readonly overage?: string }
): ReadonlyArray<FieldFinding> =>
  left.overage !== undefined && left.max_consumptions === undefined
    ? [{ path: "overage", code: "contradiction", message: "needs max_consumptions, the quota that it goes beyond" }]
    : []
