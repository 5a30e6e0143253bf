import type { License } from "../../client/api/index.ts"

/** Who has a license, in a word. */
export const ownerOf = ({ customer_email, customer_name }: License): string =>
  customer_name ?? customer_email ?? "Nobody is named"

/** The shown parts of a license key. */
export const keyOf = ({ license_key_last4, license_key_prefix }: License): string =>
  `${license_key_prefix}…${license_key_last4}`

/** Who has a license: the name above the address, each in the direction of its script. */
export const Owner = ({ of }: { readonly of: License }) => (
  <span class="two">
    <bdi class="strong clip">{ownerOf(of)}</bdi>
    {of.customer_name === undefined || of.customer_email === undefined
      ? null
      : <bdi class="small quiet clip">{of.customer_email}</bdi>}
  </span>
)
