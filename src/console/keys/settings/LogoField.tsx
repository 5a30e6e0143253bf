import { useId, useState } from "preact/hooks"
import { Button } from "../../ground/design/Button.tsx"
import { useWrong } from "../../ground/design/Field.tsx"
import { pathPrefix } from "../../ground/session/Environment.ts"

/** The most bytes of a logo. */
const most = 32 * 1024

/** The formats of a logo. */
const formats = "image/png,image/jpeg,image/webp"

const base64Of = async (file: File): Promise<string> =>
  btoa(Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""))

/** The address of an image that is kept, or that was just chosen. Browsers look at its bytes for its format. */
const addressOf = (value: string): string =>
  value.startsWith("/") ? pathPrefix() + value : `data:image/png;base64,${value}`

/** A small image from a file. The service judges what it is; the field only answers sooner. */
export const LogoField = ({ onChange, value }: {
  /** Base64 or a path; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const id = useId()
  const [problem, setProblem] = useState<string>()
  const wrong = useWrong({ path: "brand_logo", wrong: problem })
  const take = async (input: HTMLInputElement) => {
    const [file] = input.files ?? []
    if (file === undefined) return
    const isTooLarge = file.size > most
    setProblem(isTooLarge ? "Choose an image of at most 32 KiB." : undefined)
    if (!isTooLarge) onChange(await base64Of(file))
    // The image is shown beside it: the name of a file that was refused or removed would say something else.
    input.value = ""
  }
  return (
    <div class="field">
      <label class="label" for={id}>Logo</label>
      <span class="row wraps">
        {value === "" ? null : <img class="logo" src={addressOf(value)} alt="The logo" />}
        <input
          id={id}
          type="file"
          accept={formats}
          aria-invalid={wrong !== undefined}
          aria-describedby={wrong === undefined ? `${id}-hint` : `${id}-hint ${id}-wrong`}
          onChange={(event) => void take(event.currentTarget)}
        />
        {value === "" ? null : <Button small weight="bare" onClick={() => onChange("")}>Remove logo</Button>}
      </span>
      <span class="hint" id={`${id}-hint`}>PNG, JPEG or WebP, at most 32 KiB and 1,024 pixels a side</span>
      {wrong === undefined ? null : <span class="wrong" id={`${id}-wrong`} role="alert">{wrong}</span>}
    </div>
  )
}
