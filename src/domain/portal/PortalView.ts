import type { ProductVersion } from "../catalog/ProductVersion.ts"
import type { Page } from "../ground/wire/Page.ts"
import type { FeatureEntitlement } from "../licensing/entitlements/Entitlement.ts"
import type { License } from "../licensing/licenses/License.ts"
import type { OwnDevice } from "../licensing/licenses/OwnDevice.ts"

/** The rest of a customer's first page, without the licenses. */
export interface PortalAccount {
  readonly hasPurchases: boolean
  /** The address that notices go to, and whether they do; undefined where there is none, or where mails are off. */
  readonly notices: { readonly email: string; readonly areSent: boolean } | undefined
}

/** What a customer sees of the license that he or she is signed in to. */
export interface PortalView {
  readonly license: License
  /** Whether the subscription that it follows renews by itself: it does not once it is canceled, or a payment is due. */
  readonly renewsItself: boolean
  /** How many devices may have a seat. */
  readonly seats: number
  readonly features: ReadonlyArray<FeatureEntitlement>
  /** The devices with a seat; undefined where the terms let nobody but management see and release them. */
  readonly devices: Page<OwnDevice> | undefined
  /** The newest versions of its product that it covers, and where they are. */
  readonly versions: ReadonlyArray<
    Pick<ProductVersion, "version" | "released_at"> & Required<Pick<ProductVersion, "links">>
  >
  /** Whether its seats are people, too. */
  readonly hasUsers: boolean
  /** Whether its terms allow files for machines without a network, to who is signed in. */
  readonly hasFiles: boolean
  /** Whether its terms allow who is signed in to change the key. */
  readonly mayChangeKey: boolean
}
