import { useLocation } from "preact-iso"
import { useRef } from "preact/hooks"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { nameProduct } from "../ground/session/Names.ts"
import { isNamed, NameAndCode, namedBody, noName } from "./NameAndCode.tsx"

/** Makes a product, and leads to it. */
export const NewProduct = () => {
  const { route } = useLocation()
  const draft = useDraft("product", noName)
  const made = useRef("")
  return (
    <Action
      label="New product"
      weight="main"
      scope="product:write"
      says="A product is an app that you sell. Its policies set how many devices a license has, and how long it works."
      fields={
        <NameAndCode
          of={draft.values}
          set={draft.set}
          example="Acme Draft"
          says="Your app sends it, so that a key of another product is refused"
        />
      }
      draft={draft}
      isReady={isNamed(draft.values)}
      perform={async (client, options) => {
        const product = await client.products.create(namedBody(draft.values), options)
        made.current = product.id
        nameProduct(product)
        return product
      }}
      done={({ name }) => (
        <span>
          Product <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={() => route(`/console/products/${made.current}`)}
    />
  )
}
