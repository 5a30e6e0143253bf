import type { EpochStarted } from "../../domain/events/LogEpoch.ts"

/** What an operator does next when an epoch has begun. */
export const described = (begun: EpochStarted): ReadonlyArray<string> => {
  const { epoch, first_sequence, origin, restored_sequence, witness } = begun
  const lost = witness === undefined || witness.tree_size <= restored_sequence
    ? "How much was lost is not known: no witness kept a later checkpoint."
    : `Lost: the events ${restored_sequence + 1} to ${witness.tree_size} of ${witness.origin}, at least.`
  return [
    `Epoch ${epoch} begins with event ${first_sequence}. The log is ${origin} from there on.`,
    `Restored: the events up to ${restored_sequence}. ${lost}`,
    "Start the service. Cursors of the lost part are answered 409 CURSOR_AHEAD with the place to go on from; what",
    "receivers of webhooks and followers of the feed should do with what they have of it is in docs/reference/events.md."
  ]
}
