import { useLocation } from "preact-iso"
import { useRef } from "preact/hooks"
import { Action } from "../session/Action.tsx"
import { nameProduct } from "../session/Names.ts"
import { NameAndCode, useNamed } from "./NameAndCode.tsx"

/** Makes a product, and leads to it. */
export const NewProduct = () => {
  const { route } = useLocation()
  const named = useNamed()
  const made = useRef("")
  return (
    <Action
      label="New product"
      weight="main"
      scope="product:write"
      says="A product is an app that you sell. Its policies set how many devices a license has, and how long it works."
      fields={
        <NameAndCode
          of={named}
          example="Acme Draft"
          says="Your app sends it, so that a key of another product is refused"
        />
      }
      isReady={named.isReady}
      perform={async (client, options) => {
        const product = await client.products.create(named.body, options)
        made.current = product.id
        nameProduct(product)
        return product
      }}
      done={({ name }) => (
        <span>
          Product <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={() => {
        named.clear()
        route(`/console/products/${made.current}`)
      }}
    />
  )
}
