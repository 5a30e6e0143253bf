import { signal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import type { Brand, SignInWays } from "../../../client/api/index.ts"
import { Mark } from "../design/Icon.tsx"
import { inkOn } from "./Luminance.ts"
import "./brand.css"

/** A brand that is shown: the path of its logo is under the prefix of its environment. */
interface ShownBrand extends Brand {
  readonly prefix: string
}

/** The vendor's own name, color and logo; undefined until they are loaded. */
const brand = signal<ShownBrand | undefined>(undefined)

/** The name of the product, as people see it; undefined until the brand is loaded, so that no other name is shown first. */
export const brandName = (): string | undefined =>
  brand.value === undefined ? undefined : brand.value.name ?? "Countersign"

/** A title of a page in the tab. The name of the page comes first, because a tab shows the beginning only. */
export const tabTitle = (title: string): string => [title, brandName()].filter((part) => part !== undefined).join(" · ")

/** Shows the product under its own name where the brand cannot be loaded and none is known. */
export const showNoBrand = (): void => {
  if (brand.value === undefined) showBrand({}, "")
}

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

/** Shows the brand that everybody may see, where nobody is signed in yet, before what names it is painted. */
export const usePublicBrand = (
  { error, ways }: { readonly ways: Pick<SignInWays, "brand"> | undefined; readonly error: Error | undefined }
): void =>
  useLayoutEffect(() => {
    if (ways !== undefined) showBrand(ways.brand ?? {}, "")
    else if (error !== undefined) showNoBrand()
  }, [ways, error])

/** The logo and the name. Until they are known, their place stays empty. */
export const BrandMark = () => {
  if (brand.value === undefined) return null
  const { logo, prefix } = brand.value
  return (
    <>
      {logo === undefined ? <Mark /> : <img class="logo" src={prefix + logo.path} alt="" />}
      <bdi class="clip">{brandName()}</bdi>
    </>
  )
}
