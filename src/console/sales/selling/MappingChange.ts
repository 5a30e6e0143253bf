import type { BillingConnection, BillingMapping, Countersign, MatchedBy } from "../../../client/api/index.ts"

/** The choice about licenses that were sold while their price was mapped otherwise. */
export type SoldBefore = "keep" | "renewal" | "now"

/** The IDs that purchases can be matched by. */
export const matches: ReadonlyArray<readonly [MatchedBy, string]> = [
  ["price", "Price ID"],
  ["variant", "Variant ID"],
  ["product", "Product ID"],
  ["payment_link", "Payment link ID"],
  ["metadata", "Metadata, key=value"]
]

/** The name of a code among some; one that is not among them stands for itself. */
export const nameIn = (names: ReadonlyArray<readonly [string, string]>, code: string): string =>
  names.find(([known]) => known === code)?.[1] ?? code

/** Changes the mapping of a connection as it is now; refused where another person changes it at the same moment. */
export const changeMapping = async (
  client: Countersign,
  connectionId: string,
  change: (mapping: BillingMapping) => BillingMapping,
  { soldBefore, ...options }: { readonly idempotencyKey: string; readonly soldBefore?: SoldBefore }
): Promise<BillingConnection> => {
  const { data, response } = await client.billingConnections.get(connectionId).withResponse()
  const etag = response.headers.get("etag")
  const mapping = change(data.mapping)
  const sold_before = soldBefore === undefined ? {} : { sold_before: soldBefore }
  return client.billingConnections.update(data.id, { mapping, ...sold_before }, {
    ...options,
    ...(etag === null ? {} : { ifMatch: etag })
  })
}
