import { Note } from "../design/Feedback.tsx"
import { useLoad } from "../session/Load.ts"
import { mayOfAll } from "../session/Session.ts"

/** Says, where somebody changes the terms of a license, that a purchase pays for it and says them as well. */
export const PaidNote = ({ licenseId }: { readonly licenseId: string }) => {
  const purchase = useLoad(
    (client, signal) => client.purchases.list({ license_id: licenseId, limit: 1 }, { signal }),
    [licenseId],
    { when: mayOfAll("product:read") }
  ).data?.[0]
  return purchase === undefined ? null : (
    <Note title="A purchase pays for this license">
      The change stays until <a href={`/console/purchases/${purchase.id}`}>the purchase</a>{" "}
      says something else about the same thing, such as another price or quantity.
    </Note>
  )
}
