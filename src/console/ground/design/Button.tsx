import { createContext } from "preact"
import type { ComponentChildren, TargetedMouseEvent } from "preact"
import { useContext } from "preact/hooks"

/** The ID of the element that says of which row a button is: a screen reader says it behind the name of the button. */
export const RowName = createContext<string | undefined>(undefined)

/** How much a button asks for: `main` once on a screen, `danger` where something is taken away, `bare` beside others. */
export type Weight = "plain" | "main" | "danger" | "danger main" | "bare"

interface ButtonProps {
  readonly weight?: Weight
  readonly small?: boolean
  readonly children: ComponentChildren
  readonly onClick?: (event: TargetedMouseEvent<HTMLElement>) => void
  readonly type?: "button" | "submit"
  readonly disabled?: boolean
  /** Whether what it began is under way: it does nothing then, and keeps the focus. */
  readonly isBusy?: boolean
  readonly label?: string
}

const classOf = (weight: Weight, small: boolean) => `button ${weight === "plain" ? "" : weight} ${small ? "small" : ""}`

/** A button; `label` names it where its content is no text. */
export const Button = (
  { children, disabled, isBusy = false, label, onClick, small = false, type = "button", weight = "plain" }: ButtonProps
) => {
  const row = useContext(RowName)
  return (
    <button
      type={type}
      class={classOf(weight, small)}
      disabled={disabled ?? false}
      {...(isBusy ? { "aria-disabled": true } : {})}
      {...(onClick === undefined || isBusy ? {} : { onClick })}
      {...(label === undefined ? {} : { "aria-label": label, title: label })}
      {...(row === undefined ? {} : { "aria-describedby": row })}
    >
      {children}
    </button>
  )
}
