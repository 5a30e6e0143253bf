/** The part of the operating system that is used. */
export interface System {
  readonly platform: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The text of a file; empty where it cannot be read. */
  readonly read: (path: string) => Promise<string>
  readonly exists: (path: string) => Promise<boolean>
  /** The output of a command; empty where it fails. */
  readonly run: (command: string, args: ReadonlyArray<string>) => Promise<string>
}

/** The modules of Node that are used, reached without an import, so that browsers never look for them. */
type Modules = Pick<typeof process, "platform" | "env" | "getBuiltinModule">

/** Node's process, where the program runs on Node or what is like it. */
export const nodeProcess = (): Modules | undefined =>
  (globalThis.process as typeof process | undefined)?.getBuiltinModule === undefined ? undefined : process

/** The system that a program on Node runs on. */
export const systemOf = ({ env, getBuiltinModule, platform }: Modules): System => {
  const files = getBuiltinModule("node:fs/promises")
  const { execFile } = getBuiltinModule("node:child_process")
  return {
    platform,
    environment: env,
    read: (path) => files.readFile(path, "utf8").then((text) => text.trim(), () => ""),
    exists: (path) => files.access(path).then(() => true, () => false),
    run: (command, args) =>
      new Promise((resolve) => {
        execFile(command, args, { windowsHide: true, timeout: 5000 }, (error, stdout) => resolve(error ? "" : stdout))
      })
  }
}
