import { Data, Runtime } from "effect"
import { exitCode } from "../terminal/ExitCode.ts"

/** The address of HOST and PORT cannot be listened on. The message says which of the two to change, and how. */
export class AddressUnusable extends Data.TaggedError("AddressUnusable")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage

  /** Explains the error of `listen`. */
  static of(host: string, port: number, cause: unknown): AddressUnusable {
    const { code, message } = cause as NodeJS.ErrnoException
    const at = `Cannot listen on ${host.includes(":") ? `[${host}]` : host}:${port}: `
    switch (code) {
      case "EADDRINUSE":
        return new AddressUnusable({
          message: `${at}another program uses this port. Stop that program, or set PORT to another one, ` +
            "for example PORT=8081 (PORT=0 takes a free one)"
        })
      case "EACCES":
        return new AddressUnusable({
          message: `${at}this user may not use this port. Set PORT to 1024 or above, for example PORT=8080`
        })
      case "EADDRNOTAVAIL":
      case "EAFNOSUPPORT":
      case "ENOTFOUND":
      case "EAI_AGAIN":
        return new AddressUnusable({
          message: `${at}this machine has no such address. Set HOST to one that it has, for example HOST=127.0.0.1, ` +
            "or HOST=0.0.0.0 for all"
        })
      default:
        return new AddressUnusable({ message: `${at}${message}. Check HOST and PORT, for example PORT=8081` })
    }
  }
}
