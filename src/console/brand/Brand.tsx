import { signal } from "@preact/signals"
import type { Brand } from "../../client/api/index.ts"
import { Mark } from "../design/Icon.tsx"
import { inkOn } from "./Luminance.ts"
import "./brand.css"

/** The vendor's own name, color and logo; undefined until they are loaded, and where there are none. */
export const brand = signal<Brand | undefined>(undefined)

/** The name of the product, as people see it. */
export const brandName = (): string => brand.value?.name ?? "Countersign"

/** Shows a brand. Its color is for the mark and the line above, never for text: any color would have to be legible. */
export const showBrand = (shown: Brand | undefined): void => {
  brand.value = shown
  const { style } = document.documentElement
  const accent = shown?.accent
  if (accent === undefined) {
    style.removeProperty("--brand")
    style.removeProperty("--on-brand")
  } else {
    style.setProperty("--brand", accent)
    style.setProperty("--on-brand", inkOn(accent))
  }
}

/** The logo and the name. `prefix` is that of the environment whose logo it is. */
export const BrandMark = ({ prefix = "" }: { readonly prefix?: string }) => {
  const logo = brand.value?.logo
  return (
    <>
      {logo === undefined ? <Mark /> : <img class="logo" src={prefix + logo.path} alt="" />}
      <bdi class="clip">{brandName()}</bdi>
    </>
  )
}
