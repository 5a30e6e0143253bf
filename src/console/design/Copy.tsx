import { useState } from "preact/hooks"
import { Button } from "./Button.tsx"

/** How long it is said that something was copied, in milliseconds. */
const said = 1500

/** Copies a text, and says for a moment that it did. */
const useCopied = (text: string) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), said)
  }
  return { copied, copy: () => void copy() }
}

/** An id in a line, which a click copies. */
export const Id = ({ of }: { readonly of: string }) => {
  const { copied, copy } = useCopied(of)
  return (
    <button type="button" class="id" title={`Copy ${of}`} onClick={copy}>
      <code>{copied ? "Copied" : of}</code>
    </button>
  )
}

/** A text to be taken along: shown as it is, with a button that copies it. */
export const Copy = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const { copied, copy } = useCopied(text)
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>{text}</pre>
      <Button small onClick={copy}>{copied ? "Copied" : "Copy"}</Button>
    </div>
  )
}
