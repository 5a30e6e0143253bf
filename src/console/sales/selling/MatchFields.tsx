import type { MatchedBy } from "../../../client/api/index.ts"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { matches } from "./MappingChange.ts"

/** The ID that an entry of a mapping matches, and of which kind it is. */
interface Matched {
  readonly by: MatchedBy
  readonly value: string
}

interface MatchFieldsProps {
  readonly entered: Matched
  /** The name of the provider, which shows the ID. */
  readonly provider: string
  readonly onChange: (changes: Partial<Matched>) => void
}

/** Enters what a price is matched by, and its ID. */
export const MatchFields = ({ entered, onChange, provider }: MatchFieldsProps) => (
  <>
    <Choice
      label="Match by"
      value={entered.by}
      options={matches}
      onChange={(by) => onChange({ by: by as MatchedBy })}
    />
    <TextField
      label="ID"
      value={entered.value}
      onChange={(value) => onChange({ value })}
      autocomplete="off"
      maxLength={255}
      hint={`As ${provider} shows it`}
    />
  </>
)
