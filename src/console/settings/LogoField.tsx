import { useId, useState } from "preact/hooks"
import { Button } from "../design/Button.tsx"

/** The most bytes of a logo. */
const most = 32 * 1024

/** The formats of a logo. */
const formats = "image/png,image/jpeg,image/webp"

const base64Of = async (file: File): Promise<string> =>
  btoa(String.fromCharCode(...new Uint8Array(await file.arrayBuffer())))

/** A small image from a file. The service judges what it is; the field only answers sooner. */
export const LogoField = ({ onChange, value }: {
  /** Base64 or a path; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const id = useId()
  const [wrong, setWrong] = useState<string>()
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const problem = file.size > most ? "Choose an image of at most 32 KiB." : undefined
    setWrong(problem)
    if (problem === undefined) onChange(await base64Of(file))
  }
  return (
    <div class="field">
      <label class="label" for={id}>Logo</label>
      <span class="row wraps">
        <input
          id={id}
          type="file"
          accept={formats}
          aria-describedby={`${id}-hint`}
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
        {value === "" ? null : <Button small weight="bare" onClick={() => onChange("")}>Remove logo</Button>}
      </span>
      <span class="hint" id={`${id}-hint`}>PNG, JPEG or WebP, at most 32 KiB and 1,024 pixels a side</span>
      {wrong === undefined ? null : <span class="wrong" role="alert">{wrong}</span>}
    </div>
  )
}
