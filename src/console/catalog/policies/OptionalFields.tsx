import type { ComponentChildren } from "preact"
import { Choice, NumberField, TextField } from "../../ground/design/Field.tsx"
import { none } from "./PolicyDraft.ts"

interface OptionalProps {
  readonly label: string
  readonly path: string
  /** The text of the value, or that of none. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint: ComponentChildren
}

const units = [["D", "days"], ["W", "weeks"], ["M", "months"], ["Y", "years"]] as const

/** A duration: a number and its unit, none, or any other as ISO 8601. */
export const DurationField = ({ hint, label, onChange, path, value }: OptionalProps) => {
  const [, many, unit] = /^P(\d*)([DWMY])$/.exec(value) ?? []
  const kind = value === none ? none : unit ?? "other"
  const isNumber = kind !== none && kind !== "other"
  return (
    <div class="quantity" role="group" aria-label={label}>
      {isNumber ?
        (
          <NumberField
            key="number"
            label={label}
            value={many ?? ""}
            onChange={(typed) => onChange(`P${typed.replaceAll(/\D/g, "")}${kind}`)}
            min={1}
            max={99_999}
          />
        ) :
        null}
      <Choice
        key="unit"
        label={isNumber ? "Unit" : label}
        path={path}
        value={kind}
        options={[[none, "Not set"], ...units, ["other", "ISO 8601"]]}
        onChange={(to) => onChange(to === none ? none : to === "other" ? "PT12H" : `P${many ?? 1}${to}`)}
        hint={hint}
        isLong
      />
      {kind === "other"
        ? <TextField key="text" label={`${label}, ISO 8601`} value={value} onChange={onChange} autocomplete="off" />
        : null}
    </div>
  )
}

/** Use beyond a limit: refused, allowed, or up to a percentage more. */
export const OverageField = ({ hint, label, onChange, path, value }: OptionalProps) => {
  const isShare = value.endsWith("%")
  return (
    <div class="filters">
      <Choice
        label={label}
        path={path}
        value={isShare ? "%" : value}
        options={[[none, "Not set: refuse"], ["deny", "Refuse"], ["allow", "Allow and count"], [
          "%",
          "Some percent more"
        ]]}
        onChange={(to) => onChange(to === "%" ? "10%" : to)}
        hint={hint}
        isLong
      />
      {isShare
        ? (
          <NumberField
            label={`${label}, percent`}
            value={value.slice(0, -1)}
            onChange={(typed) => onChange(`${typed.replaceAll(/\D/g, "")}%`)}
            min={1}
            max={9999}
          />
        )
        : null}
    </div>
  )
}
