import { printText } from "../../../terminal/Printing.ts"
import type { Contract } from "./Contract.ts"
import { operationCommand } from "./OperationCommand.ts"
import type { Shape } from "./OperationCommand.ts"

/** A familiar name of an operation, below a group of commands such as `licenses`. */
export interface Alias extends Shape {
  readonly operation: string
}

/** The commands of a group. */
export const aliasCommands = (contract: Contract, group: string, aliases: ReadonlyArray<Alias>) =>
  aliases.map((alias) => operationCommand(contract.get(alias.operation)!, alias, group, contract))

/** A resource that has a state. */
interface Standing {
  readonly id?: string
  readonly status?: string
  readonly expires_at?: string
  readonly webhook?: Standing
}

/** The state of a resource after a change, in a sentence. */
export const standingOf = (data: Standing): string => {
  const { expires_at, id, status } = data.webhook ?? data
  return `${id} is ${status}${expires_at === undefined ? "" : `, until ${expires_at}`}.`
}

/** Says {@link standingOf}. */
export const standing = (data: Standing) => printText(standingOf(data))
