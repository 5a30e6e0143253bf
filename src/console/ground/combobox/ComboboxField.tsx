import type { ComponentChildren } from "preact"
import { TextField } from "../design/Field.tsx"
import type { Combobox } from "./Combobox.ts"
import { Options } from "./Options.tsx"

interface ComboboxFieldProps<Option> {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly of: Combobox<Option>
  readonly keyOf: (option: Option) => string
  readonly text: (option: Option) => ComponentChildren
  /** Shown below the options: that they are awaited, or that there are none. */
  readonly children?: ComponentChildren
}

/** A field of a form with a combobox. */
export function ComboboxField<Option>({ children, hint, keyOf, label, of, text }: ComboboxFieldProps<Option>) {
  return (
    <div class="chooses">
      <TextField label={label} hint={hint} value={of.text} onChange={of.onText} own={of.field} maxLength={320} />
      <Options of={of} label={label} keyOf={keyOf} text={text}>{children}</Options>
    </div>
  )
}
