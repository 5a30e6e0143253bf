import type { ComponentChildren, TargetedMouseEvent } from "preact"

/** How much a button asks for: `main` once on a screen, `danger` where something is taken away, `bare` beside others. */
export type Weight = "plain" | "main" | "danger" | "danger main" | "bare"

interface ButtonProps {
  readonly weight?: Weight
  readonly small?: boolean
  readonly children: ComponentChildren
  readonly onClick?: (event: TargetedMouseEvent<HTMLElement>) => void
  readonly type?: "button" | "submit"
  readonly disabled?: boolean
  readonly label?: string
}

const classOf = (weight: Weight, small: boolean) => `button ${weight === "plain" ? "" : weight} ${small ? "small" : ""}`

/** A button; `label` names it where its content is no text. */
export const Button = (
  { children, disabled, label, onClick, small = false, type = "button", weight = "plain" }: ButtonProps
) => (
  <button
    type={type}
    class={classOf(weight, small)}
    disabled={disabled ?? false}
    {...(onClick === undefined ? {} : { onClick })}
    {...(label === undefined ? {} : { "aria-label": label, title: label })}
  >
    {children}
  </button>
)
