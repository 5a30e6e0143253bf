import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { License, LicenseFeature } from "../../../client/api/index.ts"
import { GrantAction } from "../../catalog/features/GrantAction.tsx"
import { licenseGrant, noOwnFeature, ownFeatureOf } from "../../catalog/features/GrantDraft.ts"
import { Action } from "../../ground/session/Action.tsx"
import { may } from "../../ground/session/Session.ts"

interface OwnProps {
  readonly license: Pick<License, "id" | "product_id">
  /** The feature as the license has it; undefined where one is chosen. */
  readonly feature?: LicenseFeature
  readonly onChange: () => void
}

/** Gives a license a feature, or changes how it has one: its own members take precedence over those of its policy. */
export const OwnFeature = ({ feature, license, onChange }: OwnProps) => {
  // The features to choose from are those of the product.
  if (!may("product:read")) return null
  const loaded = feature === undefined ? noOwnFeature : ownFeatureOf(feature)
  return (
    <GrantAction
      label={feature === undefined ? "Give feature" : "Edit"}
      weight={feature === undefined ? "plain" : "bare"}
      about={license.id}
      productId={license.product_id}
      loaded={loaded}
      isGranted={feature !== undefined}
      isOwn
      scope="license:write"
      says="Changes this license only, from the next request of the app. Fields that are not set follow the policy."
      perform={(client, draft, chosen, options) =>
        client.licenses.assignFeature(license.id, licenseGrant(loaded, draft, chosen), options)}
      onDone={onChange}
    />
  )
}

/** Takes what a license has of its own of a feature. */
export const RemoveOwnFeature = ({ feature, license, onChange }: OwnProps & { readonly feature: LicenseFeature }) =>
  feature.from === "policy" ? null : (
    <Action
      label={feature.from === "both" ? "Use policy" : "Remove"}
      about={feature.feature_id}
      small
      weight="bare"
      scope="license:write"
      asksWhy="license"
      says={
        <>
          <bdi class="strong">{feature.feature_name}</bdi>: {feature.from === "both"
            ? "The license has the feature as its policy grants it, from the next request of the app."
            : consequenceOf("removeLicenseFeature")}
        </>
      }
      perform={(client, options) => client.licenses.removeFeature(license.id, feature.feature_id, options)}
      done={() => feature.from === "both" ? "The policy decides." : "The license no longer has the feature."}
      onDone={onChange}
    />
  )
