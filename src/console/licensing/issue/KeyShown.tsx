import type { LicenseCreateResponse } from "../../../client/api/index.ts"
import { CloseButton, Dialog } from "../../ground/design/Dialog.tsx"
import { LicenseKeyOnce } from "../changes/LicenseKeyOnce.tsx"

interface KeyShownProps {
  readonly of: LicenseCreateResponse
  readonly name: string | undefined
  readonly product: string
  /** Called by the one button that closes it. */
  readonly onSaved: () => void
}

/** The key of a new license, which is shown only here. */
export const KeyShown = ({ name, of: { license_key: key }, onSaved, product }: KeyShownProps) => (
  <Dialog title="License issued" onClose={onSaved}>
    <LicenseKeyOnce label="License key" text={key} name={name} product={product} />
    <div class="actions">
      <CloseButton onClose={onSaved} />
    </div>
  </Dialog>
)
