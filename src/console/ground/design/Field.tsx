import { createContext } from "preact"
import type { ComponentChildren, InputHTMLAttributes } from "preact"
import { useContext, useId } from "preact/hooks"
import { amountOf } from "../../../client/transport/Amounts.ts"
import { amount, count, some } from "./Numbers.ts"

/** The findings of the service about the members of a request, by their paths. */
export const Findings = createContext<ReadonlyMap<string, string>>(new Map())

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: ComponentChildren
  readonly wrong?: string | undefined
  /** The path of the member of the request that is entered here: what the service finds wrong with it is shown here. */
  readonly path?: string
  readonly isLong?: boolean
}

/** A field's error: its own, or what the service found. */
export const useWrong = ({ path, wrong }: Pick<FieldProps, "path" | "wrong">): string | undefined => {
  const found = useContext(Findings).get(path ?? "")
  return wrong ?? (found === undefined ? undefined : `${found.charAt(0).toUpperCase()}${found.slice(1)}.`)
}

const Frame = (
  { children, hint, id, isLong, label, wrong }:
    & Pick<FieldProps, "hint" | "isLong" | "label" | "wrong">
    & { readonly id: string; readonly children: ComponentChildren }
) => (
  <div class={`field ${isLong === true ? "long" : ""}`}>
    <label class="label" for={id}>{label}</label>
    {children}
    {hint === undefined ? null : <span class="hint" id={`${id}-hint`}>{hint}</span>}
    {wrong === undefined ? null : <span class="wrong" id={`${id}-wrong`} role="alert">{wrong}</span>}
  </div>
)

const described = (id: string, { hint, wrong }: Pick<FieldProps, "hint" | "wrong">) => ({
  "aria-invalid": wrong !== undefined,
  ...(hint === undefined && wrong === undefined
    ? {}
    : { "aria-describedby": [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ") })
})

interface TextProps extends FieldProps {
  readonly type?: "text" | "search" | "email" | "date" | "datetime-local" | "password" | "url"
  readonly placeholder?: string
  readonly required?: boolean
  readonly maxLength?: number
  readonly autocomplete?: "on" | "off"
  /** Whether it has the focus when it appears. */
  readonly isFirst?: boolean
  /** The keys that a phone offers for it. */
  readonly keys?: "text" | "numeric" | "decimal"
  /** Further attributes of the input, such as those of a combobox. */
  readonly own?: object
}

/** A text field; `wrong` is its error. */
export const TextField = (
  {
    autocomplete = "on",
    isFirst = false,
    keys = "text",
    maxLength,
    onChange,
    own = {},
    path = "",
    placeholder = "",
    required = false,
    type = "text",
    value,
    wrong,
    ...rest
  }: TextProps
) => {
  const id = useId()
  const frame = { ...rest, wrong: useWrong({ path, wrong }) }
  // Preact's types allow one kind of field at a time.
  const kind = { type } as InputHTMLAttributes<HTMLInputElement>
  return (
    <Frame id={id} {...frame}>
      <input
        {...kind}
        class="input"
        id={id}
        value={value}
        placeholder={placeholder}
        required={required}
        maxLength={maxLength}
        autocomplete={autocomplete}
        {...(keys === "text" ? {} : { inputMode: keys })}
        autofocus={isFirst}
        spellcheck={false}
        onInput={(event: InputEvent) => onChange((event.currentTarget as HTMLInputElement).value)}
        {...described(id, frame)}
        {...own}
      />
    </Frame>
  )
}

/** How many lines a text field of several shows: as many as it has, between these. */
const [leastRows, mostRows] = [3, 12]

/** A text field of several lines. */
export const TextArea = (
  { maxLength, onChange, path = "", value, wrong, ...rest }: FieldProps & { readonly maxLength: number }
) => {
  const id = useId()
  const frame = { ...rest, wrong: useWrong({ path, wrong }) }
  return (
    <Frame id={id} {...frame}>
      <textarea
        class="input"
        id={id}
        rows={Math.min(mostRows, Math.max(leastRows, value.split("\n").length))}
        value={value}
        maxLength={maxLength}
        onInput={(event) => onChange(event.currentTarget.value)}
        {...described(id, frame)}
      />
    </Frame>
  )
}

/** The limits of a whole number; of an amount with decimal places, in its smallest steps. */
export interface Whole {
  readonly min: number
  readonly max: number
  readonly decimals?: number | undefined
}

/**
 * The whole number that was typed, of an amount with decimal places the whole number of its smallest steps; undefined if it is not
 * one, or out of range.
 */
export const wholeOf = (typed: string, { decimals, max, min }: Whole): number | undefined => {
  const text = typed.trim()
  const isNumber = decimals === undefined ? /^\d{1,15}$/ : /^\d{1,15}(?:\.\d+)?$/
  const value = isNumber.test(text) ? amountOf(text, decimals) : undefined
  return value !== undefined && value >= min && value <= max ? value : undefined
}

/** Whether a number that may be left out was typed so: none, or one in range. */
export const isWholeOrNone = (typed: string, limits: Whole): boolean =>
  typed.trim() === "" || wholeOf(typed, limits) !== undefined

const asked = ({ decimals, max, min }: Whole): string =>
  decimals === undefined
    ? `Enter a whole number from ${count(min)} to ${count(max)}`
    : `Enter a number from ${amount(min, decimals)} to ${amount(max, decimals)} with up to ${
      some(decimals, "decimal place")
    }`

/**
 * The console's only field for whole numbers. To the browser it is a text: a number field changes when the wheel
 * scrolls the page, and drops invalid input.
 */
export const NumberField = (
  { decimals, max, min, value, wrong, ...field }: Omit<TextProps, "keys" | "maxLength" | "type"> & Whole
) => (
  <TextField
    {...field}
    keys={decimals === undefined ? "numeric" : "decimal"}
    autocomplete="off"
    value={value}
    wrong={wrong ??
      (isWholeOrNone(value, { decimals, min, max })
        ? undefined
        : asked({ decimals, min, max }))}
  />
)

/** A choice of few. */
export const Choice = (
  { onChange, options, path = "", value, wrong, ...rest }: FieldProps & {
    readonly options: ReadonlyArray<readonly [value: string, name: string]>
  }
) => {
  const id = useId()
  const frame = { ...rest, wrong: useWrong({ path, wrong }) }
  return (
    <Frame id={id} {...frame}>
      <select
        class="input"
        id={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...described(id, frame)}
      >
        {options.map(([option, name]) => <option key={option} value={option}>{name}</option>)}
      </select>
    </Frame>
  )
}

/** A box of a row, whose name only those hear who do not see the row. It is told whether Shift is held. */
export const Tick = (
  { isMixed = false, isOn, label, onClick }: {
    readonly label: string
    readonly isOn: boolean
    /** Whether some of many are on. */
    readonly isMixed?: boolean
    readonly onClick: (isShift: boolean) => void
  }
) => (
  <input
    type="checkbox"
    aria-label={label}
    checked={isOn}
    indeterminate={isMixed}
    onClick={(event) => onClick(event.shiftKey)}
  />
)

/** Yes or no. */
export const Check = (
  { children, isOn, onChange, path = "" }: {
    readonly isOn: boolean
    readonly onChange: (isOn: boolean) => void
    readonly children: ComponentChildren
    readonly path?: string
  }
) => {
  const wrong = useWrong({ path })
  const box = (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  )
  return wrong === undefined ? box : (
    <div class="field">
      {box}
      <span class="wrong" role="alert">{wrong}</span>
    </div>
  )
}

/** One of several that exclude each other: those of one `name`. */
export const Radio = ({ children, isBarred = false, isOn, name, onChoose }: {
  readonly name: string
  readonly isOn: boolean
  /** Whether it is shown greyed. */
  readonly isBarred?: boolean
  readonly onChoose: () => void
  readonly children: ComponentChildren
}) => (
  <label class="check">
    <input type="radio" name={name} checked={isOn} disabled={isBarred} onChange={onChoose} />
    <span>{children}</span>
  </label>
)

/** One of the options, with its meaning. */
interface Option<A extends string> {
  readonly value: A
  readonly name: ComponentChildren
  readonly hint?: ComponentChildren
  readonly isBarred?: boolean
}

/** A choice of few whose meanings stand beside them. */
export function Radios<A extends string>({ label, onChange, options, value }: {
  readonly label: string
  readonly options: ReadonlyArray<Option<A>>
  readonly value: A
  readonly onChange: (value: A) => void
}) {
  const name = useId()
  return (
    <fieldset class="radios">
      <legend class="label">{label}</legend>
      {options.map((option) => (
        <Radio
          key={option.value}
          name={name}
          isOn={value === option.value}
          isBarred={option.isBarred ?? false}
          onChoose={() => onChange(option.value)}
        >
          <span class="two">
            <span>{option.name}</span>
            {option.hint === undefined ? null : <span class="tiny quiet">{option.hint}</span>}
          </span>
        </Radio>
      ))}
    </fieldset>
  )
}
