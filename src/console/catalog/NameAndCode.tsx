import { TextField } from "../ground/design/Field.tsx"
import type { Draft } from "../ground/session/Draft.tsx"
import { codeOf } from "./policies/CodeOf.ts"

/** A name with its code, which follows the name until it is edited. */
export interface Named {
  readonly name: string
  readonly code: string
  readonly isEdited: boolean
}

/** A name that is not entered yet. */
export const noName: Named = { name: "", code: "", isEdited: false }

/** Whether a name and a code are entered. */
export const isNamed = ({ code, name }: Named): boolean => name.trim() !== "" && code.trim() !== ""

/** The members that are sent of a name with its code. */
export const namedBody = ({ code, name }: Named) => ({ name: name.trim(), code: code.trim() })

/** The fields of a name and its code. */
export const NameAndCode = (
  { example, of: { code, isEdited, name }, says, set }: {
    readonly of: Named
    readonly set: Draft<Named>["set"]
    readonly example: string
    readonly says: string
  }
) => (
  <>
    <TextField
      label="Name"
      path="name"
      value={name}
      onChange={(name) => set({ name, ...(isEdited ? {} : { code: codeOf(name) }) })}
      placeholder={example}
      maxLength={255}
      autocomplete="off"
      required
      isFirst
    />
    <TextField
      label="Code"
      path="code"
      value={code}
      onChange={(code) => set({ code, isEdited: code !== "" })}
      maxLength={128}
      autocomplete="off"
      hint={says}
    />
  </>
)
