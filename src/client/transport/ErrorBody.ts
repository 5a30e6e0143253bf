import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { FieldFinding } from "./CountersignError.ts"

/** A refusal as its body has it. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly detail: string | undefined
  readonly docUrl: string | undefined
  readonly fields: ReadonlyArray<FieldFinding> | undefined
  readonly requestId: string | undefined
}

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const findingsOf = (value: unknown): ReadonlyArray<FieldFinding> | undefined =>
  Array.isArray(value)
    ? value.flatMap((finding) => {
      const { code, message, path } = membersOf(finding)
      return typeof code === "string" && typeof message === "string" && typeof path === "string"
        ? [{ path, code, message }]
        : []
    })
    : undefined

/** Reads the body of a refusal; undefined where it has no code, and so is not the service's. */
export const readErrorBody = (body: unknown): ErrorBody | undefined => {
  const { error, meta } = membersOf(body)
  const { code, detail, doc_url, fields, message } = membersOf(error)
  if (typeof code !== "string") return undefined
  return {
    code,
    message: textOf(message) ?? code,
    detail: textOf(detail),
    docUrl: textOf(doc_url),
    fields: findingsOf(fields),
    requestId: textOf(membersOf(meta)["request_id"])
  }
}
