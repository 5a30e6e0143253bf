import { useState } from "preact/hooks"
import { TextField } from "../design/Field.tsx"
import { codeOf } from "../policies/CodeOf.ts"

/** A name with its code, which follows the name until it is edited. */
interface Named {
  readonly name: string
  readonly code: string
  readonly isEdited: boolean
}

const blank: Named = { name: "", code: "", isEdited: false }

/** The state of a name with its code. */
export const useNamed = () => {
  const [named, setNamed] = useState(blank)
  return {
    named,
    name: (name: string) => setNamed((now) => ({ ...now, name, code: now.isEdited ? now.code : codeOf(name) })),
    code: (code: string) => setNamed((now) => ({ ...now, code, isEdited: code !== "" })),
    clear: () => setNamed(blank),
    isReady: named.name.trim() !== "" && named.code.trim() !== "",
    /** The members that are sent. */
    body: { name: named.name.trim(), code: named.code.trim() }
  }
}

/** The fields of a name and its code. */
export const NameAndCode = (
  { example, of, says }: {
    readonly of: ReturnType<typeof useNamed>
    readonly example: string
    readonly says: string
  }
) => (
  <>
    <TextField
      label="Name"
      path="name"
      value={of.named.name}
      onChange={of.name}
      placeholder={example}
      maxLength={255}
      autocomplete="off"
      required
      isFirst
    />
    <TextField
      label="Code"
      path="code"
      value={of.named.code}
      onChange={of.code}
      maxLength={128}
      autocomplete="off"
      hint={says}
    />
  </>
)
