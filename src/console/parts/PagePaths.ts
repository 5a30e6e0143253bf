/** The paths of the pages. `:id` and `:kind` name what a page is about. */
export const pagePaths = [
  "/console/licenses",
  "/console/licenses/:id",
  "/console/customers",
  "/console/customers/:id",
  "/console/purchases",
  "/console/purchases/:id",
  "/console/purchases/connections/:id",
  "/console/webhooks",
  "/console/operations",
  "/console/reports",
  "/console/reports/:kind",
  "/console/design"
] as const

export type PagePath = typeof pagePaths[number]
