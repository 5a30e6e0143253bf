import type { License, LicenseNames } from "../../../client/api/index.ts"
import { useLoad } from "../session/Load.ts"
import { may } from "../session/Session.ts"

/** The owner of a license in one line: its own name, or that of its customer. */
export const ownerOf = (
  { customer_email, customer_name, names }: Pick<License, "customer_email" | "customer_name" | "names">
): string => customer_name ?? names?.customer ?? customer_email ?? "No owner"

/** A filter that names something by its id. */
type Named = Readonly<Partial<Record<"customer_id" | "license_id" | "order_id" | "subscription_id", string>>>

/** The names of the ids in a filter, from one of its licenses: one request for all of them. */
export const useNamesOf = ({ license_id, ...others }: Named): Partial<LicenseNames> => {
  const found = useLoad(
    async (client, signal) => {
      if (license_id !== undefined) {
        const { names } = await client.licenses.get(license_id, { include_names: true }, { signal })
        return names
      }
      const [license] = await client.licenses.list({ ...others, limit: 1, include_names: true }, { signal })
      return license?.names
    },
    [license_id, JSON.stringify(others)],
    { when: may("license:read") && (license_id !== undefined || Object.keys(others).length > 0) }
  )
  return found.data ?? {}
}
