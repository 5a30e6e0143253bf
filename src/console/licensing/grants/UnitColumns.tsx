import { amount as amountIn } from "../../ground/design/Numbers.ts"
import type { Column } from "../../ground/design/Table.tsx"
import { Day } from "../../ground/design/Time.tsx"

/** Units that were given at once: a grant of a license, or a pool of a customer. */
interface Units {
  readonly amount: number
  readonly decimals?: number | undefined
  readonly expires_at?: string | undefined
  readonly remaining: number
  readonly revoked_at?: string | undefined
}

/** The rest of units, and their end. */
export const unitColumns: ReadonlyArray<Column<Units>> = [
  {
    name: "Left",
    isNumber: true,
    cell: ({ amount, decimals, remaining }) => `${amountIn(remaining, decimals)} of ${amountIn(amount, decimals)}`
  },
  {
    name: "Ends",
    label: "Ends",
    cell: ({ expires_at, revoked_at }) =>
      revoked_at !== undefined ? "revoked" : expires_at === undefined ? "never" : <Day at={expires_at} />
  }
]
