import { ApprovalsPage } from "../../people/team/ApprovalsPage.tsx"
import { InvitationsPage, PeoplePage } from "../../people/team/PeoplePage.tsx"
import { PersonPage } from "../../people/team/PersonPage.tsx"
import { RolesPage } from "../../people/team/RolesPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/people. */
export const pages = {
  "/console/people": PeoplePage,
  "/console/people/invitations": InvitationsPage,
  "/console/people/roles": RolesPage,
  "/console/people/approvals": ApprovalsPage,
  "/console/people/:id": PersonPage
} as const satisfies PartPages<"people">
