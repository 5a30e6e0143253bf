import { Cause, Console, Logger, References } from "effect"
import { inspect } from "node:util"
import { visibleLine, visibleLines } from "../domain/ground/parsing/VisibleText.ts"

const styles = { bold: "1", cyan: "36", dim: "2", red: "31", yellow: "33" } as const

const styleOfLevel: Readonly<Record<string, keyof typeof styles>> = { Fatal: "red", Error: "red", Warn: "yellow" }

const valueText = (value: unknown): string =>
  typeof value === "string" ? visibleLine(value) : visibleLines(inspect(value, { depth: 4 }))

/**
 * A logger for people: the time, the level and the message on one line, causes and annotations below. It may contain
 * text of customers, receivers and apps, so the terminal shows all of it and obeys none.
 */
export const prettyLogger = (place = "", isColored = process.stdout.isTTY === true) => {
  const styled = (text: string, style: keyof typeof styles) =>
    isColored ? `\u001b[${styles[style]}m${text}\u001b[0m` : text
  return Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    const [first, ...rest] = Array.isArray(message) ? message as ReadonlyArray<unknown> : [message]
    const time = `${date.toTimeString().slice(0, 8)}${place}`
    const level = styled(logLevel.toUpperCase(), styleOfLevel[logLevel] ?? "dim")
    const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
    const below = [
      ...(cause.reasons.length === 0 ? [] : visibleLines(Cause.pretty(cause)).split("\n")),
      ...rest.flatMap((part) => valueText(part).split("\n")),
      ...annotations.flatMap(([name, value]) =>
        `${styled(`${visibleLine(name)}:`, "bold")} ${valueText(value)}`.split("\n")
      )
    ]
    fiber.getRef(Console.Console).log(
      [`[${time}] ${level}: ${styled(valueText(first), "cyan")}`, ...below.map((line) => `  ${line}`)].join("\n")
    )
  })
}
