/**
 * The acts in the portal that are open to somebody who is signed in by the key of a license. A key is a shared secret: where a license has named
 * users, all of them have it, and a former one too. So it opens what everybody may see and do who has it; all else is for who reads the
 * mailbox of the owner, and where the owner has no address for the vendor.
 */
export const holderRights = {
  see: "always",
  releaseDevice: "always",
  renameDevice: "without_users",
  changeKey: "without_users",
  issueFile: "without_users",
  askTransfer: "never",
  cancelTransfer: "never",
  inviteUser: "never",
  resendInvitation: "never",
  removeUser: "never"
} as const satisfies Readonly<Record<string, "always" | "never" | "without_users">>

/** Something that is done to a license in the portal. */
export type PortalAct = keyof typeof holderRights

/** Whether who has the key alone may do something to a license, which has named users or none. */
export const mayHolder = (act: PortalAct, hasUsers: boolean): boolean =>
  holderRights[act] === "always" || (holderRights[act] === "without_users" && !hasUsers)
