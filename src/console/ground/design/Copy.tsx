import { useState } from "preact/hooks"
import { visibleLine } from "../../../client/api/Texts.ts"
import { Button } from "./Button.tsx"
import { useHold } from "./Dialog.tsx"

/** How long the confirmation of a copy is shown, in milliseconds. */
const said = 1500

/** The older way to copy, for pages on plain http, where browsers have no `navigator.clipboard`. */
const copyBySelection = (text: string): boolean => {
  const field = document.createElement("textarea")
  field.value = text
  field.readOnly = true
  field.style.cssText = "position: fixed; opacity: 0"
  const place = document.querySelector("dialog[open]") ?? document.body
  const before = document.activeElement
  place.append(field)
  field.select()
  const isCopied = document.execCommand("copy")
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}

const copied = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The clipboard is missing, or the browser does not let the page use it.
    return copyBySelection(text)
  }
}

/** Copies a text, and says for a moment whether it did. */
export const useCopied = (text: string) => {
  const [outcome, setOutcome] = useState<"Copied" | "Not copied">()
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    const isDone = await copied(text)
    setIsCopied((before) => before || isDone)
    setOutcome(isDone ? "Copied" : "Not copied")
    setTimeout(() => setOutcome(undefined), said)
  }
  return { outcome, isCopied, copy: () => void copy() }
}

/** An id in a line, which a click copies. */
export const Id = ({ of }: { readonly of: string }) => {
  const { copy, outcome } = useCopied(of)
  return (
    <button type="button" class="id" title={`Copy ${of}`} onClick={copy}>
      <code>{outcome ?? of}</code>
    </button>
  )
}

/** A name, its link, and below it the id, to be copied. */
export const Named = (
  { href, id, name }: { readonly id: string; readonly name: string | undefined; readonly href?: string | undefined }
) => (
  <span class="two named">
    {name === undefined ? null : href === undefined
      ? <bdi class="strong clip">{visibleLine(name)}</bdi>
      : (
        <a class="clip" href={href}>
          <bdi class="strong">{visibleLine(name)}</bdi>
        </a>
      )}
    {name === id ? null : <Id of={id} />}
  </span>
)

/** A text to copy, with a button that copies it. */
export const Copy = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const { copy, outcome } = useCopied(text)
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>{text}</pre>
      <Button small onClick={copy}>{outcome ?? "Copy"}</Button>
    </div>
  )
}

/**
 * A secret that the service shows once. Only its own button closes the dialog around it, so that no slip loses the
 * secret.
 */
export const SecretOnce = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const { copy, isCopied, outcome } = useCopied(text)
  useHold()
  return (
    <div class="stack">
      <span>{label}. It is shown only once:</span>
      <div class="copy">
        <pre tabIndex={0} aria-label={label}>{text}</pre>
        <Button small onClick={copy}>{outcome ?? "Copy"}</Button>
      </div>
      <span class="small quiet" role="status">
        {outcome === "Not copied"
          ? "The browser could not copy it. Select it and copy it manually."
          : isCopied
          ? "Copied. Store it safely before you close this dialog."
          : "Store it safely before you close this dialog."}
      </span>
    </div>
  )
}
