import { Approval } from "../../../domain/people/approvals/Approval.ts"
import type { ApprovalInEvent } from "../../../domain/people/approvals/Approval.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"

/** Reads a row as the request that it is. */
export const readApproval = rowReader(Approval)

/** A request as its events tell of it. */
export const approvalInEvent = (
  { created_at, decided_at, decided_by, expires_at, id, operation, params, requested_by, state }: Approval
): ApprovalInEvent => ({
  id,
  operation,
  params,
  state,
  requested_by: requested_by.id,
  ...(decided_by === undefined ? {} : { decided_by: decided_by.id }),
  created_at,
  expires_at,
  ...(decided_at === undefined ? {} : { decided_at })
})
