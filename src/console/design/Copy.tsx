import { useState } from "preact/hooks"
import { Button } from "./Button.tsx"

/** How long it is said that something was copied, in milliseconds. */
const said = 1500

/** A text to be taken along: shown as it is, with a button that copies it. */
export const Copy = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), said)
  }
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>{text}</pre>
      <Button small onClick={() => void copy()}>{copied ? "Copied" : "Copy"}</Button>
    </div>
  )
}
