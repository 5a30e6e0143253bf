import { NumberField, TextField } from "../../ground/design/Field.tsx"
import { timeZone } from "../../ground/design/Time.tsx"

/** How many units are given at once. */
export const units = { min: 1, max: 1_000_000_000 }

interface EnteredProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** How many units are given. */
export const UnitsField = ({ decimals, onChange, value }: EnteredProps & { readonly decimals: number | undefined }) => (
  <NumberField label="Units" path="amount" {...units} decimals={decimals} value={value} onChange={onChange} />
)

/** The day on which units end, if they do. */
export const EndField = ({ onChange, value }: EnteredProps) => (
  <TextField
    label="End on"
    type="date"
    path="expires_at"
    value={value}
    onChange={onChange}
    hint={`Optional. Start of the day, ${timeZone}`}
  />
)
