import { useEffect, useState } from "preact/hooks"
import { hasLetterKeys, setLetterKeys } from "../../ground/commands/LetterKeys.ts"
import { Button } from "../../ground/design/Button.tsx"
import { CloseButton, Dialog } from "../../ground/design/Dialog.tsx"
import { Check } from "../../ground/design/Field.tsx"
import { onKey } from "../../ground/design/Keys.ts"

const keys: ReadonlyArray<readonly [keys: ReadonlyArray<string>, does: string]> = [
  [["Ctrl", "K"], "Search, open a page, or run a command of this page"],
  [["/"], "The same, outside of a field"],
  [["?"], "Show these keys"],
  [["Ctrl", "Enter"], "Send the form in front"],
  [["Esc"], "Close the menu or the dialog"],
  [["↑", "↓"], "Move through results and rows"],
  [["Enter"], "Open the result or the row"]
]

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest("input, textarea, select, dialog") !== null

/** The form in front: that of the open dialog, else the one with the focus, else the only one of the page. */
const formInFront = (): HTMLFormElement | null => {
  const dialog = document.querySelector("dialog[open]")
  if (dialog !== null) return dialog.querySelector("form")
  const forms = document.querySelectorAll<HTMLFormElement>("main form")
  return document.activeElement?.closest("form") ?? (forms.length === 1 ? forms[0] ?? null : null)
}

/** Listens for the keys that mean the same on every page. */
const useGlobalKeys = (help: () => void): void =>
  useEffect(() => {
    const listener = onKey((key, event) => {
      if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        formInFront()?.requestSubmit()
      }
      if (key !== "?" || isTyping(event) || !hasLetterKeys.value) return
      event.preventDefault()
      help()
    })
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [])

/** The button that lists the keys of the console, and the keys themselves. */
export const KeysHelp = () => {
  const [isOpen, setIsOpen] = useState(false)
  useGlobalKeys(() => setIsOpen(true))
  return (
    <>
      <Button weight="bare" label="Keyboard shortcuts" onClick={() => setIsOpen(true)}>?</Button>
      {isOpen
        ? (
          <Dialog title="Keyboard shortcuts" onClose={() => setIsOpen(false)}>
            <dl class="facts keys">
              {keys.map(([names, does]) => (
                <>
                  <dt>
                    {names.map((name) => <kbd key={name}>{name}</kbd>)}
                  </dt>
                  <dd>{does}</dd>
                </>
              ))}
            </dl>
            <Check isOn={hasLetterKeys.value} onChange={setLetterKeys}>
              Single keys <kbd>/</kbd> and <kbd>?</kbd>. Switch them off if you use speech input.
            </Check>
            <div class="actions">
              <CloseButton onClose={() => setIsOpen(false)} />
            </div>
          </Dialog>
        )
        : null}
    </>
  )
}
