import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Brand, SignInWays } from "../../client/api/index.ts"
import { Mark } from "../design/Icon.tsx"
import { inkOn } from "./Luminance.ts"
import "./brand.css"

/** A brand that is shown: the path of its logo is under the prefix of its environment. */
interface ShownBrand extends Brand {
  readonly prefix: string
}

/** The vendor's own name, color and logo; undefined until they are loaded. */
const brand = signal<ShownBrand | undefined>(undefined)

/** The name of the product, as people see it. */
export const brandName = (): string => brand.value?.name ?? "Countersign"

/** Shows a brand. Its color is for the mark and the line above, never for text: any color would have to be legible. */
export const showBrand = (shown: Brand, prefix: string): void => {
  brand.value = { ...shown, prefix }
  const { style } = document.documentElement
  const { accent } = shown
  if (accent === undefined) {
    style.removeProperty("--brand")
    style.removeProperty("--on-brand")
  } else {
    style.setProperty("--brand", accent)
    style.setProperty("--on-brand", inkOn(accent))
  }
}

/** Shows the brand that everybody may see, where nobody is signed in yet. */
export const usePublicBrand = (ways: Pick<SignInWays, "brand"> | undefined): void =>
  useEffect(() => {
    if (ways !== undefined) showBrand(ways.brand ?? {}, "")
  }, [ways])

/** The logo and the name. */
export const BrandMark = () => {
  const { logo, prefix = "" } = brand.value ?? {}
  return (
    <>
      {logo === undefined ? <Mark /> : <img class="logo" src={prefix + logo.path} alt="" />}
      <bdi class="clip">{brandName()}</bdi>
    </>
  )
}
