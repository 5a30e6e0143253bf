import type { Activity } from "../../client/api/index.ts"
import { Named } from "../ground/design/Copy.tsx"
import { Time } from "../ground/design/Time.tsx"
import { may } from "../ground/session/Session.ts"
import { isInstant, nameOf, valueOf } from "./ActivityWords.ts"

/** A value of a field as people read it: a time where the reader is, and what is known by name with its name. */
export const FieldValue = ({ member, of, value }: {
  readonly of: Activity
  readonly member: string
  readonly value: unknown
}) => {
  if (isInstant(value)) return <Time at={value} exactly />
  const name = nameOf(of, member, value)
  if (name === undefined || typeof value !== "string") return <bdi class="wrap">{valueOf(of, member, value)}</bdi>
  const isCustomer = member === "customer_id" && may("customer:read")
  return <Named id={value} name={name} href={isCustomer ? `/console/customers/${value}` : undefined} />
}
