import type { EpochStarted } from "../../../domain/log/LogEpoch.ts"

/** The next steps of an operator after a new epoch. */
export const described = (begun: EpochStarted): ReadonlyArray<string> => {
  const { epoch, first_sequence, origin, restored_sequence, witness } = begun
  const lost = witness === undefined || witness.tree_size <= restored_sequence
    ? "The lost range is unknown: no witness has a later checkpoint."
    : `Lost: the events ${restored_sequence + 1} to ${witness.tree_size} of ${witness.origin}, at least.`
  return [
    `Epoch ${epoch} begins with event ${first_sequence}. The log is ${origin} from there on.`,
    `Restored: the events up to ${restored_sequence}. ${lost}`,
    "Start the service. Cursors in the lost range get 409 CURSOR_AHEAD with the sequence number to continue from.",
    "For webhook receivers and feed readers, see docs/reference/events.md."
  ]
}
