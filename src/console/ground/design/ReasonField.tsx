import { TextField } from "./Field.tsx"
import { longestReason, usualIn, withUsual } from "./Reason.ts"

/** The field for a reason, with the usual ones as buttons. It is kept in the event and shown in the activity. */
export const ReasonField = (
  { isRequired = false, onChange, usual, value }: {
    readonly value: string
    readonly onChange: (value: string) => void
    /** Whether there has to be one. */
    readonly isRequired?: boolean
    /** The usual reasons; none where there are none. */
    readonly usual: ReadonlyArray<string>
  }
) => {
  const chosen = usualIn(value, usual)
  return (
    <div class="stack" style={{ gap: "var(--s2)" }}>
      <TextField
        label={isRequired ? "Reason" : "Reason (optional)"}
        value={value}
        onChange={onChange}
        hint={isRequired ? "Required here, and recorded in the activity log" : "Recorded in the activity log"}
        maxLength={longestReason}
        autocomplete="off"
      />
      {usual.length === 0 ? null : (
        <div class="row wraps" role="group" aria-label="Suggestions">
          {usual.map((each) => (
            <button
              key={each}
              type="button"
              class="chip"
              aria-pressed={each === chosen}
              onClick={() => onChange(withUsual(value, each, usual))}
            >
              {each}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
