import { Note } from "../../ground/design/Feedback.tsx"
import { Check, Choice, NumberField, TextField } from "../../ground/design/Field.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { mayOfAll } from "../../ground/session/Session.ts"
import { DurationField, OverageField } from "./OptionalFields.tsx"
import { entriesOf, fieldOf, none } from "./PolicyDraft.ts"
import type { FieldName, PolicyField } from "./PolicyDraft.ts"
import { labelOf, mailHelp, shownIn } from "./PolicyGroups.ts"
import { licenseTypes } from "./PolicyWords.ts"

/** Says that mails are off, to those who may know: a policy that names some would send none. */
export const MailsOff = () => {
  const { data } = useLoad((client, signal) => client.settings.getMail({ signal }), [], { when: mayOfAll("admin") })
  return data?.is_configured === false
    ? (
      <Note tone="warn" title="Mails are off">
        <span>
          None is sent until a mail server is set: see <a href="/console/settings/mail">Mail</a> in the settings.
        </span>
      </Note>
    )
    : null
}

interface ControlProps {
  readonly name: FieldName
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The help of a member as text: the contract marks code with backticks. */
const helpOf = ({ help }: PolicyField): string => help.replaceAll("`", "")

/** A number that may be none: no limit, none at all and a number are different choices. */
const NumberControl = ({ name, onChange, value }: ControlProps) => {
  const field = fieldOf(name)
  const number = (
    <NumberField
      label={labelOf(name)}
      path={name}
      value={value}
      onChange={onChange}
      min={field.min ?? 0}
      max={field.max ?? Number.MAX_SAFE_INTEGER}
      hint={helpOf(field)}
    />
  )
  if (!field.isOptional) return number
  return (
    <div class="stack">
      {value === none ? null : number}
      <Check isOn={value === none} onChange={(isNone) => onChange(isNone ? none : String(Math.max(1, field.min ?? 0)))}>
        {labelOf(name)}: not set
      </Check>
    </div>
  )
}

/** Numbers with commas between them, or none. */
const NumbersControl = ({ name, onChange, value }: ControlProps) => (
  <div class="stack">
    {value === none ? null : (
      <TextField
        label={labelOf(name)}
        path={name}
        value={value}
        onChange={onChange}
        autocomplete="off"
        hint={helpOf(fieldOf(name))}
      />
    )}
    <Check isOn={value === none} onChange={(isNone) => onChange(isNone ? none : "30, 7, 1")}>
      {labelOf(name)}: not set
    </Check>
  </div>
)

const DurationControl = ({ name, onChange, value }: ControlProps) => (
  <DurationField label={labelOf(name)} path={name} value={value} onChange={onChange} hint={helpOf(fieldOf(name))} />
)

const OverageControl = ({ name, onChange, value }: ControlProps) => (
  <OverageField label={labelOf(name)} path={name} value={value} onChange={onChange} hint={helpOf(fieldOf(name))} />
)

const ChoiceControl = ({ name, onChange, value }: ControlProps) => {
  const field = fieldOf(name)
  const values = (field.values ?? []).map((option) => [option, shownIn(name, option)] as const)
  return (
    <Choice
      label={labelOf(name)}
      path={name}
      value={value}
      options={[
        ...(field.isOptional ? [[none, "Not set"] as const] : []),
        ...(name === "license_type" ? licenseTypes : values)
      ]}
      onChange={onChange}
      hint={helpOf(field)}
    />
  )
}

/** Entries of a list, each on or off; with none of them there is no list. */
const ListControl = ({ name, onChange, value }: ControlProps) => {
  const field = fieldOf(name)
  const on = entriesOf(value)
  const change = (entry: string, isOn: boolean) => {
    const left = (field.values ?? []).filter((other) => other === entry ? isOn : on.includes(other))
    onChange(left.length === 0 ? none : left.join(","))
  }
  return (
    <fieldset class="stack">
      <legend class="strong">{labelOf(name)}</legend>
      {(field.values ?? []).map((entry) => (
        <Check
          key={entry}
          path={name}
          isOn={on.includes(entry)}
          onChange={(isOn) => change(entry, isOn)}
        >
          {shownIn(name, entry)} {name === "mails" ? <span class="small quiet">{mailHelp(entry)}</span> : null}
        </Check>
      ))}
      <span class="small quiet">{helpOf(field)}</span>
      {name === "mails" ? <MailsOff /> : null}
    </fieldset>
  )
}

/** The control of a member of a policy, made from what the contract says of it. */
export const PolicyControl = (props: ControlProps) => {
  const { name, onChange, value } = props
  const field = fieldOf(name)
  switch (field.kind) {
    case "number":
      return <NumberControl {...props} />
    case "duration":
      return <DurationControl {...props} />
    case "overage":
      return <OverageControl {...props} />
    case "enum":
      return <ChoiceControl {...props} />
    case "numbers":
      return <NumbersControl {...props} />
    case "list":
      return <ListControl {...props} />
    case "boolean":
      return (
        <Check path={name} isOn={value === "true"} onChange={(isOn) => onChange(String(isOn))}>
          <span class="strong">{labelOf(name)}</span> <span class="small quiet">{helpOf(field)}</span>
        </Check>
      )
    case "text":
    case "json":
      return (
        <TextField
          label={labelOf(name)}
          path={name}
          value={value}
          onChange={onChange}
          autocomplete="off"
          hint={helpOf(field)}
        />
      )
  }
}
