import { useRoute } from "preact-iso"
import type { Countersign } from "../../client/api/index.ts"
import { Note } from "../ground/design/Feedback.tsx"
import { useFilters } from "../ground/lists/Filters.ts"
import { useLoad } from "../ground/session/Load.ts"
import { Loading } from "../ground/session/Loading.tsx"
import { may } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { GrantedFeatures } from "./features/GrantedFeatures.tsx"
import { blankDraft, copyOf, draftOf } from "./policies/PolicyDraft.ts"
import { PolicyForm } from "./policies/PolicyForm.tsx"
import { PolicyRead } from "./policies/PolicyPreviewPanel.tsx"

/** A policy with the tag that a change of it is made for. */
const findPolicy = async (client: Countersign, id: string, signal: AbortSignal) => {
  const { data, response } = await client.policies.get(id, { signal }).withResponse()
  return { policy: data, etag: response.headers.get("etag") ?? undefined }
}

interface AtProps {
  readonly productId: string
  readonly policyId: string
}

const Top = ({ productId, title, copyId }: {
  readonly productId: string
  readonly title: string
  /** The policy that a copy can be made of. */
  readonly copyId?: string | undefined
}) => (
  <header>
    <div class="stack" style={{ gap: "var(--s1)" }}>
      <a class="small" href={`/console/products/${productId}`}>Policies</a>
      <h1>
        <bdi class="wrap">{title}</bdi>
      </h1>
    </div>
    {copyId === undefined || !may("product:write")
      ? null
      : <a class="button" href={`/console/products/${productId}/policies/new?copy=${copyId}`}>Copy</a>}
  </header>
)

const OldPolicy = ({ policyId, productId }: AtProps) => {
  const found = useLoad((client, signal) => findPolicy(client, policyId, signal), [policyId])
  const title = found.data?.policy.name ?? "Policy"
  useTitle(title)
  return (
    <main class="page" id="main">
      <Top productId={productId} title={title} copyId={policyId} />
      <Loading of={found} lines={8}>
        {({ etag, policy }) => (
          <>
            {may("product:write")
              ? (
                <PolicyForm
                  productId={policy.product_id}
                  loaded={draftOf(policy)}
                  policy={{ id: policy.id, etag }}
                  onChange={found.reload}
                />
              )
              : <PolicyRead of={draftOf(policy)} />}
            <GrantedFeatures productId={policy.product_id} policyId={policy.id} />
          </>
        )}
      </Loading>
    </main>
  )
}

const NewPolicy = ({ productId }: Pick<AtProps, "productId">) => {
  const copy = useFilters().query["copy"]
  const found = useLoad(
    async (client, signal) => copy === undefined ? {} : copyOf((await findPolicy(client, copy, signal)).policy),
    [copy],
    { when: may("product:write") }
  )
  useTitle("New policy")
  return (
    <main class="page" id="main">
      <Top productId={productId} title="New policy" />
      {may("product:write")
        ? (
          <Loading of={found} lines={8}>
            {(copied) => (
              <PolicyForm
                productId={productId}
                loaded={blankDraft}
                copied={copied}
                copiedFrom={copy}
                policy={undefined}
                onChange={found.reload}
              />
            )}
          </Loading>
        )
        : (
          <Note tone="warn" title="You cannot create policies.">
            <span>
              Creating one needs the scope <code>product:write</code>.
            </span>
          </Note>
        )}
    </main>
  )
}

/** The page of one policy, or of a new one. */
export const PolicyPage = () => {
  const { params } = useRoute()
  const productId = params["id"] ?? ""
  const policyId = params["policy"] ?? ""
  return policyId === "new"
    ? <NewPolicy key={productId} productId={productId} />
    : <OldPolicy key={policyId} policyId={policyId} productId={productId} />
}
