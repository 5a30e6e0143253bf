/**
 * The owner of a license: a customer, else an address, else nobody. A name alone tells nobody from another. The address of a customer is that
 * of the license, where it has one of its own, and otherwise the customer's; null and the empty text are none.
 */
export interface Owner {
  readonly customer_id?: string | null | undefined
  readonly customer_email?: string | null | undefined
}

/** The text of a member that is there. */
const some = (text: string | null | undefined): string | undefined => text || undefined

const customerOf = ({ customer_id }: Owner): string | undefined => some(customer_id)

const addressOf = ({ customer_email }: Owner): string | undefined => some(customer_email?.trim().toLowerCase())

/** Whether nobody is known to own a license. */
export const isNobody = (owner: Owner): boolean => (customerOf(owner) ?? addressOf(owner)) === undefined

/**
 * Whether two are known to be the same owner: the same customer; and where one of them is no customer, the same address, upper and lower
 * case alike.
 */
export const sameOwner = (one: Owner, other: Owner): boolean => {
  const [customer, another] = [customerOf(one), customerOf(other)]
  if (customer !== undefined && another !== undefined) return customer === another
  const address = addressOf(one)
  return address !== undefined && address === addressOf(other)
}

/**
 * Whether two are known to be different owners. Somebody of whom only an address is known may be the customer of whom no address is: neither
 * that they are the same is known, nor that they are not.
 */
export const otherOwner = (one: Owner, other: Owner): boolean => {
  if (sameOwner(one, other)) return false
  return (customerOf(one) !== undefined && customerOf(other) !== undefined) ||
    (addressOf(one) !== undefined && addressOf(other) !== undefined)
}

/** Whether somebody reads about a license whom it did not name before: another customer, or another address. */
export const hasNewReader = (before: Owner, after: Owner): boolean =>
  (customerOf(after) !== undefined && customerOf(after) !== customerOf(before)) ||
  (addressOf(after) !== undefined && addressOf(after) !== addressOf(before))

/**
 * Whether a license leaves its owner: it had one, and has another afterwards, or none. It stays where it had nobody, and where more becomes
 * known of the same one, such as the customer who has the address.
 */
export const leavesOwner = (before: Owner, after: Owner): boolean => {
  if (isNobody(before)) return false
  const hadCustomer = customerOf(before) !== undefined
  return isNobody(after) || (hadCustomer && customerOf(after) === undefined) || otherOwner(before, after)
}
