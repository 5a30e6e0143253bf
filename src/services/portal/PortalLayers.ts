import { Layer } from "effect"
import { Portal } from "./Portal.ts"
import { PortalLinks } from "./PortalLinks.ts"
import { PortalSessions } from "./PortalSessions.ts"
import { PortalAccounts, PortalTransfers } from "./PortalTransfers.ts"
import { PortalUsers } from "./PortalUsers.ts"

/** The portal, the links into it, and the sessions of customers. */
export const layer = Layer.provideMerge(
  Layer.mergeAll(Portal.layer, PortalAccounts.layer, PortalLinks.layer, PortalTransfers.layer, PortalUsers.layer),
  PortalSessions.layer
)
