import { Context } from "effect"

/** Says when an attempt to deliver may begin. */
export interface DeliveryTurns {
  /**
   * Runs a step that begins an attempt: in an environment beside the live one when it is its turn, well under a second after
   * those before it. Answers what takes the step back, which does nothing once it has run.
   */
  readonly begin: (step: () => void) => () => void
}

const nothing = (): void => undefined

/** The turns of the deliveries of this environment; in the live one each begins at once. */
export const DeliveryTurns = Context.Reference<DeliveryTurns>("countersign/services/ground/environments/DeliveryTurns", {
  defaultValue: () => ({
    begin: (step) => {
      step()
      return nothing
    }
  })
})
