import type { License } from "../../../client/api/index.ts"
import { TwoLines } from "../../ground/design/Table.tsx"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { productName } from "../../ground/session/Names.ts"

/** The name of the product of a license. */
export const productOf = ({ names, product_id }: License): string => names?.product ?? productName(product_id)

/** The shown parts of a license key. */
export const keyOf = ({ license_key_last4, license_key_prefix }: License): string =>
  `${license_key_prefix}…${license_key_last4}`

/** The owner of a license: the name above the customer or the email, each in the direction of its script. */
export const Owner = ({ of }: { readonly of: License }) => {
  const owner = ownerOf(of)
  const more = [of.names?.customer, of.customer_email].find((text) => text !== undefined && text !== owner)
  return <TwoLines first={owner} second={more} />
}
