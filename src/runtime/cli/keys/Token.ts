import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { printNotice, printText } from "../../terminal/Printing.ts"
import { keptToken } from "../ground/AdminToken.ts"

const file = Flag.Boolean("file").pipe(
  Flag.withDescription("Print the path of the token file instead of the token"),
  Flag.withDefault(false)
)

// Loaded when it is run: to print a token takes no database.
const rotate = Command.make(
  "rotate",
  {},
  () => Effect.flatMap(Effect.promise(() => import("./TokenRotate.ts")), ({ rotateToken }) => rotateToken)
).pipe(
  Command.withDescription("Rotate the admin token immediately on every node, and print the new one"),
  Command.withExamples([{ command: "countersign token rotate", description: "After the token was exposed" }])
)

/** `countersign token`: prints the bootstrap token with the scope admin, which the first start of the service made. */
export const token = Command.make("token", { file }, (input) =>
  Effect.gen(function*() {
    const { file, isKept, otherwise, token } = yield* keptToken
    if (input.file) return yield* printText(isKept ? file : `The token is not in a file: ${otherwise.reason}`)
    yield* printText(token)
    // Another directory than the service's has another token, which would go unnoticed.
    yield* printNotice(isKept ? `Read from ${file}` : otherwise.origin)
  })).pipe(
    Command.withExamples([
      { command: "countersign token --file", description: "Path of the token file" },
      { command: "countersign token --environment test", description: "The admin token of the test environment" }
    ]),
    Command.withSubcommands([rotate])
  )
