import type { ComponentChildren } from "preact"
import type { Combobox } from "./Combobox.ts"

/** The options of a combobox; `children` are shown below them. */
export function Options<Option>(
  { children, keyOf, label, of, text }: {
    readonly of: Combobox<Option>
    readonly label: string
    readonly keyOf: (option: Option) => string
    readonly text: (option: Option) => ComponentChildren
    readonly children?: ComponentChildren
  }
) {
  return (
    <>
      <div class="found" hidden={!of.isShown}>
        <ul id={of.listId} role="listbox" aria-label={label}>
          {of.options.map((option, index) => (
            <li
              key={keyOf(option)}
              id={`${of.listId}-${index}`}
              role="option"
              aria-selected={of.at === index}
              class="option"
              onPointerDown={(event: PointerEvent) => {
                event.preventDefault()
                of.choose(option)
              }}
              onPointerEnter={() => of.point(index)}
            >
              {text(option)}
            </li>
          ))}
        </ul>
        {children}
      </div>
      <span class="visually-hidden" role="status">{of.said}</span>
    </>
  )
}
