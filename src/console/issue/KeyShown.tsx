import type { LicenseCreateResponse } from "../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { SecretOnce, useCopied } from "../design/Copy.tsx"
import { CloseButton, Dialog } from "../design/Dialog.tsx"
import { mailOf } from "./IssueDraft.ts"

interface KeyShownProps {
  readonly of: LicenseCreateResponse
  readonly name: string | undefined
  readonly product: string
  /** Called by the one button that closes it. */
  readonly onSaved: () => void
}

/** The key of a new license, which is shown only here: as a text and as a mail. */
export const KeyShown = ({ name, of: { license_key: key }, onSaved, product }: KeyShownProps) => {
  const mail = useCopied(mailOf({ key, name, product }))
  return (
    <Dialog title="License issued" onClose={onSaved}>
      <SecretOnce label="License key" text={key} />
      <div class="row wraps">
        <Button small onClick={mail.copy}>{mail.outcome ?? "Copy as mail"}</Button>
      </div>
      <div class="actions">
        <CloseButton onClose={onSaved} />
      </div>
    </Dialog>
  )
}
