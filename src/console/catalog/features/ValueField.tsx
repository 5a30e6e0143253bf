import type { Feature } from "../../../client/api/index.ts"
import { Check, Choice, TextArea, TextField } from "../../ground/design/Field.tsx"
import { linesIn, wrongValue } from "./FeatureKinds.ts"

interface ValueProps {
  readonly feature: Pick<Feature, "enum_options" | "value_type">
  /** The value as it is entered; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The meaning of no value. */
  readonly unset: string
}

/** The longest list: a hundred texts of 255 characters, each with its line. */
const longestList = 100 * 256

const label = "Value"
const path = "value"

/** Some of the options of a list. */
const Several = ({ onChange, options, value }: Pick<ValueProps, "onChange" | "value"> & {
  readonly options: ReadonlyArray<string>
}) => {
  const chosen = linesIn(value)
  const other = (option: string, isOn: boolean) =>
    options.filter((each) => each === option ? isOn : chosen.includes(each)).join("\n")
  return (
    <fieldset class="radios">
      <legend class="label">{label}</legend>
      {options.map((option) => (
        <Check
          key={option}
          isOn={chosen.includes(option)}
          onChange={(isOn) => onChange(other(option, isOn))}
        >
          <bdi>{option}</bdi>
        </Check>
      ))}
    </fieldset>
  )
}

/** The control for a value of a feature, by its kind; none where the feature has no values. */
export const ValueField = ({ feature: { enum_options = [], value_type }, onChange, unset, value }: ValueProps) => {
  switch (value_type) {
    case "boolean":
      return (
        <Choice
          {...{ label, onChange, path, value }}
          options={[["", unset], ["true", "Yes"], ["false", "No"]]}
        />
      )
    case "enum":
      return (
        <Choice
          {...{ label, onChange, path, value }}
          options={[["", unset], ...enum_options.map((option) => [option, option] as const)]}
        />
      )
    case "list":
      return enum_options.length > 0
        ? <Several {...{ onChange, value }} options={enum_options} />
        : <TextArea {...{ label, onChange, path, value }} maxLength={longestList} hint="One text in each line" />
    case "integer":
      return (
        <TextField
          {...{ label, onChange, path, value }}
          keys="numeric"
          autocomplete="off"
          wrong={wrongValue(value_type, value)}
          hint={`A whole number. Empty: ${unset.toLowerCase()}`}
        />
      )
    case "string":
      return (
        <TextField
          {...{ label, onChange, path, value }}
          maxLength={255}
          autocomplete="off"
          hint={`Empty: ${unset.toLowerCase()}`}
        />
      )
    default:
      return null
  }
}
