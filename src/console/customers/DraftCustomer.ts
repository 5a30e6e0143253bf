/** The customer of a license: somebody who is known, somebody new, or nobody yet. */
export type DraftCustomer =
  | { readonly kind: "none" }
  | { readonly kind: "known"; readonly id: string; readonly name: string }
  | { readonly kind: "new"; readonly name: string; readonly email: string }
