import { ProductPage } from "../catalog/ProductPage.tsx"
import { ProductsPage } from "../catalog/ProductsPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/products. */
export const pages = {
  "/console/products": ProductsPage,
  "/console/products/:id": ProductPage,
  "/console/products/:id/:tab": ProductPage
} as const satisfies PartPages<"products">
