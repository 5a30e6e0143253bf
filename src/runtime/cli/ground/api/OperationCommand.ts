import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { ResponseInfo } from "../../../../client/api/index.ts"
import { attachedName } from "../../../../domain/ground/parsing/ContentDisposition.ts"
import { isMembers } from "../../../../domain/ground/parsing/JsonMembers.ts"
import { jsonErrorPosition, jsonLoss } from "../../../../domain/ground/parsing/JsonText.ts"
import type { FieldFinding } from "../../../../domain/ground/wire/Errors.ts"
import { finding, required as requiredField, summary } from "../../../../domain/ground/wire/FieldFindings.ts"
import { printAnswer } from "../../../terminal/Answers.ts"
import { AlreadySaid, WrongUsage } from "../../../terminal/ExitCode.ts"
import { json, printJson, printNotice, printText } from "../../../terminal/Printing.ts"
import { readInput } from "../Input.ts"
import { ServiceApi, url } from "../ServiceApi.ts"
import {
  change,
  changing,
  curlOf,
  flagName,
  hasFlag,
  memberFlag,
  memberLoss,
  memberValue,
  quoted,
  read
} from "./Change.ts"
import type { Answer, Given, Request } from "./Change.ts"
import type { Contract, Member, Operation } from "./Contract.ts"
import { secretIn } from "./Contract.ts"

/** `--body`: the request body, as JSON. */
const wholeBody = Flag.String("body").pipe(
  Flag.optional,
  Flag.withMetavar("json"),
  Flag.withDescription(
    "Request body: JSON, @file.json or - for standard input. Other flags change its fields. A body with secrets must come " +
      "from a file or standard input"
  )
)

/** Parses JSON. The message names the position of a fault, and never the text, which may be a secret. */
const parsed = (text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => {
      const { column, line } = jsonErrorPosition(text)
      return new WrongUsage({ message: `--body is not JSON: it goes wrong at line ${line}, column ${column}` })
    }
  })

/** The text of `--body`, of the file that it names, or of standard input. */
const textOf = (given: string) =>
  given === "-"
    ? readInput("the body")
    : given.startsWith("@")
    ? Effect.try({
      try: () => Fs.readFileSync(given.slice(1), "utf8"),
      catch: (cause) => new WrongUsage({ message: `--body cannot be read: ${(cause as Error).message}` })
    })
    : Effect.succeed(given)

/**
 * The body of `--body`. Refuses what JSON.parse would change silently, as the service does (`jsonLoss`), and a secret
 * among the arguments, which other users of the machine can read.
 */
const bodyOf = Effect.fnUntraced(function*(operation: Operation, flag: Option.Option<string>) {
  if (Option.isNone(flag)) return {}
  const given = flag.value
  const text = yield* textOf(given)
  const body = yield* parsed(text)
  if (!isMembers(body)) return yield* new WrongUsage({ message: "--body must be a JSON object" })
  const loss = jsonLoss(text)
  if (loss !== undefined) {
    const found = finding(loss.path, "invalid_value", loss.message)
    return yield* new WrongUsage({ message: summary("--body is not valid", [found]) })
  }
  const secret = given === "-" || given.startsWith("@") ? undefined : secretIn(body, operation.secrets)
  if (secret !== undefined) {
    return yield* new WrongUsage({
      message:
        `--body contains a secret (${secret}), and other users of this machine can see arguments. Put the body ` +
        "into a file (--body @file.json) or send it on standard input (--body -)"
    })
  }
  return body
})

type Body = Readonly<Record<string, unknown>>

/** The differences of a command from the plain one of its operation. */
interface Shape {
  readonly name: string
  readonly description?: string
  /**
   * Whether it sends whatever its operation takes, as `countersign api` does: a whole body, and an empty text or
   * `null`, which clear a field. For an alias an empty text is no value.
   */
  readonly isRaw?: boolean
  /** The members that have a flag, where not all have one. */
  readonly members?: ReadonlyArray<string>
  /** Members that the command requires, although the operation does not. */
  readonly required?: ReadonlyArray<string>
  /** Members of which one is required, and the message without any. */
  readonly either?: { readonly members: ReadonlyArray<string>; readonly otherwise: string }
  readonly flags?: Readonly<Record<string, string>>
  /** Members that the command sets itself, without a flag. */
  readonly body?: Body
  /** The values of members without a flag. */
  readonly defaults?: Body
  /** Flags that change the request: to another operation, or to another body. */
  readonly switches?: Readonly<
    Record<string, { readonly description: string; readonly operation?: string; readonly body: Body }>
  >
  /** Examples: what follows the name of the command, and what it does. */
  readonly examples: ReadonlyArray<readonly [words: string, description: string]>
  readonly columns?: ReadonlyArray<string>
  /** Further consequences of a change, given the service's current state. */
  readonly foresee?: (request: Request) => Effect.Effect<string, never, ServiceApi>
  /** Prints the answer for a person. */
  readonly say?: (data: any) => Effect.Effect<void>
  /** Whether `--json` prints the data of a read without the envelope. */
  readonly isBare?: boolean
  /** Whether the answer is good; otherwise the exit code says so. */
  readonly isFine?: (data: any) => boolean
}

/** The flag of a field, as the command names it; a field without a flag stays as it is. */
const naming = ({ members }: Operation, { flags = {} }: Shape) => (path: string): string => {
  const [name = "", ...rest] = path.split(".")
  return members.some((member) => member.name === name && hasFlag(member))
    ? [`--${flags[name] ?? flagName(name)}`, ...rest].join(".")
    : path
}

/** The findings about a request, each named by its flag. */
const refusedInput = (
  operation: Operation,
  shape: Shape,
  fields: ReadonlyArray<FieldFinding>
): WrongUsage => {
  const named = fields.map((field) => ({ ...field, path: naming(operation, shape)(field.path) }))
  return new WrongUsage({
    message: named.length === 1
      ? summary("The request is not valid", named)
      : ["The request is not valid:", ...named.map(({ message, path }) => `  ${path} ${message}`)].join("\n")
  })
}

const isOffered = ({ body = {}, members }: Shape) => (member: Member): boolean =>
  hasFlag(member) && !(member.name in body) && (members === undefined || members.includes(member.name))

/** The inputs that every command of an operation has. */
const inputsOf = (operation: Operation, shape: Shape) => ({
  ids: Object.fromEntries(
    operation.parameters.map(({ description, name }) =>
      [name, Argument.withDescription(Argument.String(name), description)] as const
    )
  ),
  members: Object.fromEntries(
    operation.members.filter(isOffered(shape)).map((member) =>
      [member.name, memberFlag(member, shape.flags?.[member.name])] as const
    )
  )
})

/** The request that the inputs of a command make. */
const requestOf = (
  operation: Operation,
  shape: Shape,
  input: { readonly ids: Readonly<Record<string, string>>; readonly members: Readonly<Record<string, Given>> },
  base: Body = {}
): Request => {
  const given = operation.members.filter(isOffered(shape)).flatMap((member) => {
    const value = memberValue(member, input.members[member.name]!, shape.isRaw)
    return value === undefined ? [] : [[member.name, value] as const]
  })
  return {
    operation,
    ids: operation.parameters.map(({ name }) => input.ids[name]!),
    body: { ...shape.defaults, ...base, ...Object.fromEntries(given), ...shape.body }
  }
}

/** The parts of flag values that JSON.parse would change silently. */
const lossesOf = (
  operation: Operation,
  shape: Shape,
  { members }: { readonly members: Readonly<Record<string, Given>> }
): ReadonlyArray<FieldFinding> =>
  operation.members.filter(isOffered(shape)).flatMap((member) => memberLoss(member, members[member.name]!) ?? [])

/** Ends with the exit code for a bad answer. */
const judged = ({ isFine }: Shape, data: unknown) =>
  isFine === undefined || isFine(data) ? Effect.void : Effect.fail(new AlreadySaid({ message: "not as it should be" }))

/** The service, asked with the credential of an operation. */
const serviceOf = ({ client: { credential } }: Operation, input: { readonly url: Option.Option<string> }) =>
  ServiceApi.layer(input, { maxRetries: 2 }, credential)

/** A read as JSON: as the service answered it, with its ETag. */
const jsonOf = ({ isBare }: Shape, response: ResponseInfo, answer: Answer): unknown => {
  const etag = response.headers.get("etag")
  return isBare === true ? answer.data : etag === null ? answer : { ...answer, meta: { ...answer.meta, etag } }
}

/** Prints a read for a person. */
const shown = Effect.fnUntraced(function*(
  shape: Shape,
  { data, page_info }: Answer,
  chosen: Option.Option<string> = Option.none()
) {
  const columns = Option.getOrUndefined(chosen)?.split(",") ?? shape.columns
  yield* shape.say === undefined ? printAnswer(data, columns) : shape.say(data)
  if (page_info?.has_more === true && Array.isArray(data)) {
    yield* printNotice(`Showing the first ${data.length}. Raise --limit, or use --all.`)
  }
})

/** A command that reads. */
const reading = (operation: Operation, shape: Shape) => {
  const { kind } = operation.client
  return Command.make(shape.name, {
    ...inputsOf(operation, shape),
    json,
    url,
    curl: changing.curl,
    ...(kind === "page" ? { all: allPages, columns } : {}),
    ...(kind === "file" ? { out } : {})
  }, (input) =>
    Effect.gen(function*() {
      const { address, ask } = yield* ServiceApi
      const request = requestOf(operation, shape, input)
      if (input.curl) return yield* printText((yield* curlOf(address, request)).split("\n"))
      const { response, ...answer } = yield* ask(
        (client) => read(request, input.all ?? false, client),
        naming(operation, shape)
      )
      if (input.out !== undefined) return yield* saved(answer.data, input.out)
      yield* input.json ? printJson(jsonOf(shape, response, answer)) : shown(shape, answer, input.columns)
      yield* judged(shape, answer.data)
    })).pipe(Command.provide((input) => serviceOf(operation, input)))
}

const columns = Flag.String("columns").pipe(
  Flag.optional,
  Flag.withMetavar("names"),
  Flag.withDescription("Fields to show as columns, separated by commas: id,status,policy.name")
)

const allPages = Flag.Boolean("all").pipe(Flag.withDescription("Read every page of the list"), Flag.withDefault(false))

const out = Flag.String("out").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("New file for the download, or a directory: then it keeps the name that the service gives it")
)

/** Writes a download to a new file, in a directory under the name that the service gives it. */
const saved = Effect.fnUntraced(function*(download: unknown, path: string) {
  if (!(download instanceof Response) || download.body === null) return yield* Effect.die("The download has no body")
  const { body, headers } = download
  const file = Fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    ? Path.join(path, Path.basename(attachedName(headers.get("content-disposition"))))
    : path
  yield* Effect.tryPromise({
    try: () => Fs.promises.writeFile(file, body, { flag: "wx", mode: 0o600 }),
    catch: (cause) => new WrongUsage({ message: `--out ${file} cannot be written: ${(cause as Error).message}` })
  })
  yield* printText(file)
})

const ifMatch = Flag.String("if-match").pipe(
  Flag.optional,
  Flag.withMetavar("etag"),
  Flag.withDescription("Change it only if it still has this ETag, which --json of a read shows in meta.etag")
)

/** A command that changes something. */
const writing = (operation: Operation, shape: Shape, contract: Contract) => {
  const { either, required = [], switches = {} } = shape
  return Command.make(shape.name, {
    ...inputsOf(operation, shape),
    ...changing,
    ...(shape.isRaw === true ? { body: wholeBody } : {}),
    switches: Object.fromEntries(
      Object.entries(switches).map(([name, { description }]) =>
        [name, Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))] as const
      )
    ),
    ...(operation.declaration.conditional === "resource" ? { ifMatch } : {})
  }, (input) =>
    Effect.gen(function*() {
      const [, on] = Object.entries(switches).find(([name]) => input.switches[name]) ?? []
      const request = requestOf(
        contract.get(on?.operation ?? operation.id)!,
        { ...shape, ...(on === undefined ? {} : { body: on.body }) },
        input,
        yield* bodyOf(operation, input.body ?? Option.none())
      )
      if (either !== undefined && !either.members.some((name) => name in request.body)) {
        return yield* new WrongUsage({ message: either.otherwise })
      }
      const findings = [
        ...lossesOf(operation, shape, input),
        ...required.filter((name) => !(name in request.body)).map((name) => requiredField([name])),
        ...request.operation.findings(request.body)
      ]
      if (findings.length > 0) return yield* refusedInput(operation, shape, findings)
      const data = yield* change({ ...input, ifMatch: Option.getOrUndefined(input.ifMatch ?? Option.none()) }, {
        request,
        foreseen: shape.foresee === undefined || input.curl ? "" : yield* shape.foresee(request),
        say: shape.say ?? printAnswer,
        isBare: shape.isBare,
        named: naming(operation, shape)
      })
      if (data !== undefined) yield* judged(shape, data)
    })).pipe(Command.provide((input) => serviceOf(operation, input)))
}

/** The command of an operation, below the commands of `path`. */
export const operationCommand = (operation: Operation, shape: Shape, path: string, contract: Contract) => {
  const description = Command.withDescription(shape.description ?? `${operation.summary}. ${operation.description}`)
  const short = Command.withShortDescription(shape.description ?? operation.summary)
  const examples = Command.withExamples(shape.examples.map(([words, description]) => ({
    command: ["countersign", path, shape.name, words].filter(Boolean).join(" "),
    description
  })))
  return operation.client.method === "GET"
    ? reading(operation, shape).pipe(description, short, examples)
    : writing(operation, shape, contract).pipe(description, short, examples)
}

/** The words of an example: the ids, and the example of the body as flags, or in a file where it has a secret. */
export const exampleWords = ({ example, members, parameters }: Operation): string => {
  const flags = members.filter(hasFlag).flatMap(({ name }) => {
    const value = example[name]
    if (value === undefined) return []
    if (typeof value === "boolean") return [`--${value ? "" : "no-"}${flagName(name)}`]
    const texts = Array.isArray(value) && value.every((element) => typeof element === "string") ? value : [value]
    return texts.map((text) => `--${flagName(name)} ${quoted(typeof text === "string" ? text : JSON.stringify(text))}`)
  })
  const isInFile = members.some((member) => member.name in example && !hasFlag(member))
  return [...parameters.map(({ example }) => example), ...flags, ...(isInFile ? ["--body @body.json"] : [])].join(" ")
}

/** A familiar name of an operation, below a group of commands such as `licenses`. */
export interface Alias extends Shape {
  readonly operation: string
}

/** The commands of a group. */
export const aliasCommands = (contract: Contract, group: string, aliases: ReadonlyArray<Alias>) =>
  aliases.map((alias) => operationCommand(contract.get(alias.operation)!, alias, group, contract))

/** A resource that has a state. */
interface StatefulResource {
  readonly id?: string
  readonly status?: string
  readonly expires_at?: string
  readonly webhook?: StatefulResource
}

/** The state of a resource after a change, in a sentence. */
export const stateLine = (data: StatefulResource): string => {
  const { expires_at, id, status } = data.webhook ?? data
  return `${id} is ${status}${expires_at === undefined ? "" : `, until ${expires_at}`}.`
}

/** Says {@link stateLine}. */
export const printState = (data: StatefulResource) => printText(stateLine(data))
