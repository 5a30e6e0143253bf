import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { LicenseOptions } from "../license/Options.ts"
import { AppLicense } from "./AppLicense.ts"
import { Session } from "./Session.ts"

/**
 * Opens the license of an app: reads what is kept and verifies it again, without the network. Then call `check()`. Throws a
 * TypeError where the options make no sense, as without a pinned key.
 */
export const openLicense = async (options: LicenseOptions): Promise<AppLicense> => {
  // Without it the license of any product would do; an unset variable is undefined whatever the types say.
  if (!options.productCode) throw new TypeError("productCode must be the code of your product")
  const shipped: unknown = options.publicKeys
  if (!Array.isArray(shipped) || shipped.length === 0 || !shipped.every(isMembers)) {
    throw new TypeError(
      "publicKeys must have the keys that you ship with the app: the array that is `data` of the list of public keys"
    )
  }
  if (options.fingerprint.trim() === "") throw new TypeError("fingerprint must name this machine")
  if (!((options.graceDays ?? 0) >= 0)) throw new TypeError("graceDays must not be negative")
  const session = new Session(options)
  await session.sync()
  return new AppLicense(session)
}
