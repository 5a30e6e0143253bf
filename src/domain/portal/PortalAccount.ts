/** The rest of a customer's first page, without the licenses. */
export interface PortalAccount {
  readonly hasPurchases: boolean
  /** The address that notices go to, and whether they do; undefined where there is none, or where mails are off. */
  readonly notices: { readonly email: string; readonly areSent: boolean } | undefined
}
