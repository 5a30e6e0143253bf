import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { LicenseTerms } from "../../../client/api/index.ts"
import { some } from "../../ground/design/Numbers.ts"
import { durationOf } from "../../ground/design/Time.tsx"

type Terms = Pick<LicenseTerms, "allow_offline_activation" | "offline_grace_days" | "validation_interval_minutes">

/** When an app learns of a change, by the terms of its license. */
const stopText = ({ allow_offline_activation, offline_grace_days, validation_interval_minutes }: Terms): string => {
  const days = allow_offline_activation?.value === true ? offline_grace_days?.value ?? 0 : 0
  const most = durationOf((validation_interval_minutes?.value ?? 1440) * 60)
  const offline = days === 0 ? "" : ` A device without network may continue for up to ${some(days, "day")}.`
  return `The app stops at its next check-in, at most ${most} from now.${offline}`
}

/** The consequence of what stops a license: how soon, and what happens to the seats. */
export const stoppingText = (operation: "suspendLicense" | "revokeLicense", terms: Terms): string =>
  `${stopText(terms)} ${
    operation === "suspendLicense"
      ? "Devices keep their seats. To undo this, reinstate the license."
      : consequenceOf("revokeLicense")
  }`
