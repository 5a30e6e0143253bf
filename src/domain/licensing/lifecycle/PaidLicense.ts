import type { Warning } from "../../ground/wire/Errors.ts"

/** The warning about a change of terms that a purchase says as well; none of a license that no purchase pays for. */
export const warningAboutPaid = (purchaseId: string | undefined): ReadonlyArray<Warning> =>
  purchaseId === undefined
    ? []
    : [{
      code: "LICENSE_OF_PURCHASE",
      message:
        `The purchase ${purchaseId} pays for the license. The change stays until the purchase says something else about the same thing, ` +
        "such as another price or quantity."
    }]
