import { FeaturePage } from "../../catalog/FeaturePage.tsx"
import { PolicyPage } from "../../catalog/PolicyPage.tsx"
import { ProductPage } from "../../catalog/ProductPage.tsx"
import { ProductsPage } from "../../catalog/ProductsPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/products. */
export const pages = {
  "/console/products": ProductsPage,
  "/console/products/:id": ProductPage,
  "/console/products/:id/:tab": ProductPage,
  "/console/products/:id/policies/:policy": PolicyPage,
  "/console/products/:id/features/:feature": FeaturePage
} as const satisfies PartPages<"products">
