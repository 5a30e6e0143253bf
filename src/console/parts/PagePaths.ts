/** The paths of the pages. `:id`, `:kind`, `:tab`, `:policy` and `:feature` name what a page is about. */
export const pagePaths = [
  "/console/start",
  "/console/products",
  "/console/products/:id",
  "/console/products/:id/:tab",
  "/console/products/:id/policies/:policy",
  "/console/products/:id/features/:feature",
  "/console/licenses",
  "/console/licenses/new",
  "/console/licenses/:id",
  "/console/licenses/jobs/:id",
  "/console/customers",
  "/console/customers/:id",
  "/console/purchases",
  "/console/purchases/:id",
  "/console/purchases/connections/:id",
  "/console/activity",
  "/console/activity/:id",
  "/console/webhooks",
  "/console/operations",
  "/console/reports",
  "/console/reports/:kind",
  "/console/people",
  "/console/people/invitations",
  "/console/people/roles",
  "/console/people/:id",
  "/console/keys",
  "/console/me",
  "/console/join",
  "/console/design"
] as const

export type PagePath = typeof pagePaths[number]
