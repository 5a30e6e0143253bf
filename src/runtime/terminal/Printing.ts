import { Console, Effect } from "effect"
import { visibleJson, visibleLine } from "../../domain/ground/parsing/VisibleText.ts"

/** One or more lines. */
export type Lines = string | ReadonlyArray<string>

const shown = (lines: Lines): string =>
  typeof lines === "string" ? visibleLine(lines) : lines.map(visibleLine).join("\n")

/**
 * Prints lines to standard output. Text of customers, apps and receivers is shown and never obeyed by the terminal,
 * and no value ends its line. All output of commands goes through this file; the linter refuses other ways.
 */
export const printText = (lines: Lines): Effect.Effect<void> => Console.log(shown(lines))

/** Prints to standard output at once, without an effect: only lines that were made visible before. */
export const makePrinter: Effect.Effect<(visible: string) => void> = Effect.map(
  Console.Console,
  (output) => (visible) => output.log(visible)
)

/** {@link printText} for standard error. */
export const printNotice = (lines: Lines): Effect.Effect<void> => Console.error(shown(lines))

/** Prints a value as indented JSON. */
export const printJson = (value: unknown): Effect.Effect<void> =>
  Console.log(visibleJson(JSON.stringify(value, null, 2)))

/** Prints a value as JSON on one line. */
export const printJsonLine = (value: unknown): Effect.Effect<void> => Console.log(visibleJson(JSON.stringify(value)))
