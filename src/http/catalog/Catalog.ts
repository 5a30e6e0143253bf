import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import type { CustomFieldValue } from "../../domain/catalog/CustomField.ts"
import type { Meta } from "../../domain/ground/wire/Errors.ts"
import { CustomFields } from "../../services/catalog/CustomFields.ts"
import { Features } from "../../services/catalog/Features.ts"
import { Policies } from "../../services/catalog/Policies.ts"
import { PolicyFeatures } from "../../services/catalog/PolicyFeatures.ts"
import { Products, ProductVersions } from "../../services/catalog/Products.ts"
import { PolicyRehearsals } from "../../services/evidence/rehearsals/RehearsedLicenses.ts"
import { CustomFieldValues } from "../../services/licensing/licenses/CustomFieldValues.ts"
import { warningsAboutFeatureQuota } from "../../services/licensing/licenses/LicenseCreation.ts"
import { LicenseFeatures } from "../../services/licensing/licenses/LicenseFeatures.ts"
import { PolicyDryRuns } from "../../services/licensing/lifecycle/PolicyChanges.ts"
import { one, oneWarned, page, writtenPage } from "../ground/edge/Reply.ts"

/** Answers 200 with a value, and 204 when it was cleared. */
const valueOrNone = <E, R>(effect: Effect.Effect<CustomFieldValue | undefined, E, R>) =>
  Effect.flatMap(
    effect,
    (value): Effect.Effect<{ readonly data: CustomFieldValue; readonly meta: Meta } | void> =>
      value === undefined ? Effect.void : one(Effect.succeed(value))
  )

export const customFieldsLayer = HttpApiBuilder.group(
  Api,
  "custom-fields",
  Effect.fn(function*(handlers) {
    const fields = yield* CustomFields
    const values = yield* CustomFieldValues
    return handlers.handleAll({
      listProductCustomFieldDefinitions: ({ params, query }) => writtenPage(fields.list(params.id, pageOf(query))),
      createProductCustomFieldDefinition: ({ params, payload }) => one(fields.create(params.id, payload)),
      getProductCustomFieldDefinition: ({ params }) => one(fields.get(params.id, params.field_id)),
      updateProductCustomFieldDefinition: ({ params, payload }) =>
        one(fields.update(params.id, params.field_id, payload)),
      deleteProductCustomFieldDefinition: ({ params }) => fields.remove(params.id, params.field_id),
      listCustomerCustomFieldValues: ({ params, query }) => page(values.list("customer", params.id, pageOf(query))),
      upsertCustomerCustomFieldValue: ({ params, payload }) =>
        valueOrNone(values.upsert("customer", params.id, params.field_id, payload)),
      listLicenseCustomFieldValues: ({ params, query }) => page(values.list("license", params.id, pageOf(query))),
      upsertLicenseCustomFieldValue: ({ params, payload }) =>
        valueOrNone(values.upsert("license", params.id, params.field_id, payload))
    })
  })
)

export const versionsLayer = HttpApiBuilder.group(
  Api,
  "versions",
  Effect.fn(function*(handlers) {
    const versions = yield* ProductVersions
    return handlers.handleAll({
      listProductVersions: ({ params, query }) => writtenPage(versions.list(params.id, pageOf(query))),
      createProductVersion: ({ params, payload }) => one(versions.create(params.id, payload)),
      getProductVersion: ({ params }) => one(versions.get(params.id, params.version_id)),
      updateProductVersion: ({ params, payload }) => one(versions.update(params.id, params.version_id, payload)),
      deleteProductVersion: ({ params }) => versions.remove(params.id, params.version_id)
    })
  })
)

export const policiesLayer = HttpApiBuilder.group(
  Api,
  "policies",
  Effect.fn(function*(handlers) {
    const policies = yield* Policies
    const dryRuns = yield* PolicyDryRuns
    const features = yield* PolicyFeatures
    const rehearsals = yield* PolicyRehearsals
    return handlers.handleAll({
      listPoliciesByProduct: ({ params, query }) =>
        query.include_counts === "true"
          ? page(policies.listCounted(params.id, pageOf(query)))
          : writtenPage(policies.list(params.id, pageOf(query))),
      createPolicy: ({ params, payload: { dry_run, ...input } }) =>
        one((dry_run === true ? dryRuns : policies).create(params.id, input)),
      getPolicy: ({ params }) => one(policies.get(params.id)),
      updatePolicy: ({ params, payload: { dry_run, ...changes } }) =>
        one((dry_run === true ? dryRuns : policies).update(params.id, changes)),
      deletePolicy: ({ params }) => policies.remove(params.id),
      rehearsePolicy: ({ params, payload }) => one(rehearsals.rehearse(params.id, payload)),
      listPolicyFeatures: ({ params, query }) => page(features.list(params.id, params.policy_id, pageOf(query))),
      assignPolicyFeature: ({ params, payload }) => oneWarned(features.assign(params.id, params.policy_id, payload)),
      removePolicyFeature: ({ params }) => features.remove(params.id, params.policy_id, params.feature_id)
    })
  })
)

export const featuresLayer = HttpApiBuilder.group(
  Api,
  "features",
  Effect.fn(function*(handlers) {
    const features = yield* Features
    const assigned = yield* LicenseFeatures
    return handlers.handleAll({
      listFeaturesByProduct: ({ params, query }) =>
        writtenPage(
          features.list(
            params.id,
            pageOf(query),
            query.is_archived === undefined ? undefined : query.is_archived === "true"
          )
        ),
      createFeature: ({ params, payload }) => one(features.create(params.id, payload)),
      getFeature: ({ params }) => one(features.get(params.id)),
      updateFeature: ({ params, payload }) => oneWarned(features.update(params.id, payload)),
      deleteFeature: ({ params }) => features.remove(params.id),
      listLicenseFeatures: ({ params, query }) => page(assigned.list(params.id, pageOf(query))),
      assignLicenseFeature: ({ params, payload }) =>
        one(assigned.assign(params.id, payload), warningsAboutFeatureQuota),
      removeLicenseFeature: ({ params }) => assigned.remove(params.id, params.feature_id),
      resetLicenseUsage: ({ params, payload }) =>
        one(assigned.resetUsage(params.id, payload), warningsAboutFeatureQuota)
    })
  })
)

export const productsLayer = HttpApiBuilder.group(
  Api,
  "products",
  Effect.fn(function*(handlers) {
    const products = yield* Products
    return handlers.handleAll({
      listProducts: ({ query: { include_counts, ...query } }) =>
        page(products.list(filtersOf(query), pageOf(query), { counts: include_counts === "true" })),
      createProduct: ({ payload }) => one(products.create(payload)),
      getProduct: ({ params }) => one(products.get(params.id)),
      updateProduct: ({ params, payload }) => oneWarned(products.update(params.id, payload)),
      deleteProduct: ({ params }) => products.remove(params.id)
    })
  })
)
