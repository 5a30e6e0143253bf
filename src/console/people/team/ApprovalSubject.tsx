import type { Approval, Countersign } from "../../../client/api/index.ts"
import { Named } from "../../ground/design/Copy.tsx"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { placeOf } from "./ApprovalWords.ts"

type Ask = (client: Countersign, id: string, signal: AbortSignal) => Promise<string>

const licenseName: Ask = async (client, id, signal) => {
  const license = await client.licenses.get(id, { include_names: true }, { signal })
  return [ownerOf(license), license.names?.policy].filter((part) => part !== undefined).join(" · ")
}

const customerName: Ask = async (client, id, signal) => (await client.customers.get(id, { signal })).name

const personName: Ask = async (client, id, signal) => (await client.people.get(id, { signal })).name

/** The question for the name of what a request is about; undefined where it has none, or the person may not ask. */
const askOf = (id: string): Ask | undefined =>
  id.startsWith("lic_") && may("license:read")
    ? licenseName
    : id.startsWith("cus_") && may("customer:read")
    ? customerName
    : id.startsWith("per_") && may("people:read")
    ? personName
    : undefined

/** The thing that a request is about, by its name where it has one. */
export const ApprovalSubject = ({ id, of }: { readonly id: string; readonly of: Approval }) => {
  const ask = askOf(id)
  const { data, error } = useLoad(async (client, signal) => ask?.(client, id, signal), [id], {
    when: ask !== undefined
  })
  // The line of the name is there from the start, so that nothing below moves when it comes.
  const coming = ask === undefined || error !== undefined ? undefined : "…"
  return <Named id={id} name={data ?? coming} href={placeOf(of)} />
}
