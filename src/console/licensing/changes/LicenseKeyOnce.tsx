import { useState } from "preact/hooks"
import { Button } from "../../ground/design/Button.tsx"
import { SecretOnce, useCopied } from "../../ground/design/Copy.tsx"
import { mailOf } from "./KeyMail.ts"
import { QrCode } from "./QrCode.tsx"

/** A license key that is shown once: as a text, as a mail to its owner, and as a QR code. */
export const LicenseKeyOnce = ({ label, name, product, text }: {
  readonly label: string
  readonly text: string
  /** The name of the owner, for the mail. */
  readonly name: string | undefined
  readonly product: string
}) => {
  const mail = useCopied(mailOf({ key: text, name, product }))
  const [hasQr, setHasQr] = useState(false)
  return (
    <>
      <SecretOnce label={label} text={text} />
      <div class="row wraps">
        <Button small onClick={mail.copy}>{mail.outcome ?? "Copy as mail"}</Button>
        <Button small onClick={() => setHasQr(!hasQr)}>{hasQr ? "Hide QR code" : "QR code"}</Button>
      </div>
      {hasQr ? <QrCode text={text} label={`QR code: ${label}`} /> : null}
    </>
  )
}
