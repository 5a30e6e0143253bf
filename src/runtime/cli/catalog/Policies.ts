import { Effect } from "effect"
import { Command } from "effect/cli"
import type { PolicyRehearsal } from "../../../client/api/index.ts"
import { printFacts, printNotice, printTable, printText } from "../../terminal/Printing.ts"
import type { Contract } from "../ground/api/Contract.ts"
import { aliasCommands } from "../ground/api/OperationCommand.ts"
import type { Alias } from "../ground/api/OperationCommand.ts"

const policy = "pol_06eqpx1trxz3h94vqjm3a6kz7c"
const change = `'{"max_activations": 2, "allow_vm": false}'`

const numberText = (value: number | undefined): string => value === undefined ? "?" : value.toLocaleString("en-US")

/** Calls that would be decided differently, or are not known, as a row of the table. */
const rowOf = (
  outcome: string,
  reason: string,
  { calls, devices, licenses }: Omit<PolicyRehearsal["unknown"][number], "reason">
): ReadonlyArray<string> => [outcome, reason, numberText(calls), numberText(devices), numberText(licenses)]

/** Says what a rehearsal found, for a person. */
const say = Effect.fnUntraced(function*(found: PolicyRehearsal) {
  const { affected, calls, granted, next_after, refused, rules, unknown } = found
  yield* printText(`${found.policy_id} from ${found.from} to ${found.to}, recorded from ${found.recorded_from}`)
  yield* printFacts([
    ["Licenses", `${numberText(found.licenses)}, ${numberText(affected.length)} of them affected`],
    ["Calls", numberText(calls.all)],
    ["Refused", numberText(calls.refused)],
    ["Granted", numberText(calls.granted)],
    ["Not known", numberText(calls.unknown)],
    ["Not rehearsed", rules.flatMap(({ is_rehearsed, name }) => is_rehearsed ? [] : [name]).join(", ")]
  ])
  const rows = [
    ...refused.map((sums) => rowOf("refused", sums.code, sums)),
    ...granted.map((sums) => rowOf("granted", sums.code, sums)),
    ...unknown.map((sums) => rowOf("not known", sums.reason, sums))
  ]
  if (rows.length > 0) yield* printTable([["OUTCOME", "REASON", "CALLS", "DEVICES", "LICENSES"], ...rows])
  if (next_after !== undefined) yield* printNotice(`More licenses follow: repeat it with --after ${next_after}.`)
})

const aliases: ReadonlyArray<Alias> = [{
  name: "rehearse",
  operation: "rehearsePolicy",
  description: "Decide past calls again as if the policy had been changed; writes nothing",
  examples: [
    [`${policy} --change ${change}`, "The calls of the last 30 days"],
    [`${policy} --change ${change} --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z`, "Those of a month"]
  ],
  say
}]

/** `countersign policies ...`: changes of policies, tried before they are made. */
export const policies = (contract: Contract) =>
  Command.make("policies").pipe(
    Command.withExamples([{
      command: `countersign policies rehearse ${policy} --change ${change}`,
      description: "How past calls would have been decided"
    }]),
    Command.withSubcommands(aliasCommands(contract, "policies", aliases))
  )
