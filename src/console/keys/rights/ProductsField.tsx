import { useEffect, useId } from "preact/hooks"
import { Check, Radio } from "../../ground/design/Field.tsx"
import { nameProducts, productName, products } from "../../ground/session/Names.ts"
import { identity } from "../../ground/session/Session.ts"
import "./rights.css"

/** How many names stand in a line, before the rest is a number. */
const named = 2

/** The products that something is limited to, by name; undefined where there is no limit. */
export const productsLine = (ids: ReadonlyArray<string> | undefined): string | undefined => {
  if (ids === undefined) return undefined
  const first = ids.slice(0, named).map(productName).join(", ")
  return ids.length > named ? `${first} and ${ids.length - named} more` : first
}

/** Has the names of products loaded. */
export const useProductNames = (): void => {
  useEffect(() => void nameProducts(), [])
}

interface ProductsFieldProps {
  /** The IDs of the products; undefined for all. */
  readonly value: ReadonlyArray<string> | undefined
  readonly onChange: (value: ReadonlyArray<string> | undefined) => void
}

/** The products that something is limited to: all, or some of those that the caller may see. */
export const ProductsField = ({ onChange, value }: ProductsFieldProps) => {
  const name = useId()
  useEffect(() => void nameProducts(), [])
  const bounds = identity.value?.product_ids
  const offered = [...products.value?.values() ?? []].filter(({ id }) => bounds?.includes(id) ?? true)
  const toggle = (id: string, isOn: boolean) =>
    onChange(isOn ? [...value ?? [], id] : (value ?? []).filter((each) => each !== id))
  return (
    <fieldset class="rights">
      <legend class="label">Products</legend>
      {bounds !== undefined ? null : (
        <div class="row wraps">
          <Radio name={name} isOn={value === undefined} onChoose={() => onChange(undefined)}>All products</Radio>
          <Radio name={name} isOn={value !== undefined} onChoose={() => onChange([])}>Only these</Radio>
        </div>
      )}
      {value === undefined && bounds === undefined ? null : (
        <div class="picks">
          {offered.map((product) => (
            <Check
              key={product.id}
              isOn={value?.includes(product.id) ?? false}
              onChange={(on) => toggle(product.id, on)}
            >
              <bdi>{product.name}</bdi>
            </Check>
          ))}
          {offered.length === 0 ? <span class="small quiet">There are no products yet.</span> : null}
        </div>
      )}
    </fieldset>
  )
}

/** Whether a choice of products is whole: all, or at least one. */
export const isWhole = (value: ReadonlyArray<string> | undefined): boolean =>
  value === undefined ? identity.value?.product_ids === undefined : value.length > 0
