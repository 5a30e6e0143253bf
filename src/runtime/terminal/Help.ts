import { Console, Layer, Option } from "effect"
import { CliOutput } from "effect/cli"
import type { HelpDoc } from "effect/cli"

const base = CliOutput.defaultFormatter({ globalFlags: "summary" })

/** The flags that every command line has. Their help is that of the program. */
const common = new Set(["help", "version", "wizard", "completions", "log-level"])

/** A flag whose help says whether it is required. */
const marked = (flag: HelpDoc.FlagDoc): HelpDoc.FlagDoc =>
  flag.required ? { ...flag, description: Option.map(flag.description, (text) => `${text} (required)`) } : flag

/** Help that marks required flags, and lists those that a command shares with others, such as `--environment`, as its own. */
const formatter: CliOutput.Formatter = {
  ...base,
  formatHelpDoc: (doc) => {
    const globalFlags = doc.globalFlags ?? []
    const shared = globalFlags.filter(({ name }) => !common.has(name))
    return base.formatHelpDoc({
      ...doc,
      globalFlags: globalFlags.filter(({ name }) => common.has(name)),
      flags: [...doc.flags, ...shared].map(marked)
    })
  }
}

/**
 * Arguments that make no sense are answered on standard error alone, in three lines: a script that reads the output must
 * not find help in it.
 */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Console.log(formatter.formatHelpDoc(event.helpDoc))
      case "InvalidInvocation":
        return Console.error([
          ...event.errors.map((error) => formatter.formatCliError(error)),
          `Usage: ${event.helpDoc.usage}`,
          `Run \`${event.commandPath.join(" ")} --help\` for usage.`
        ].join("\n"))
      case "Version":
        return Console.log(event.version)
    }
  }
}

/** The format of help and of argument errors. */
export const layer: Layer.Layer<never> = Layer.mergeAll(CliOutput.layer(formatter), CliOutput.layerPresenter(presenter))
