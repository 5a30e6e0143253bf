import { Result } from "effect"
import type { Scope } from "../../keys/security/ManagementKey.ts"
import type { ApprovableOperation } from "../../log/SecondLook.ts"
import { rightsFor } from "../Rights.ts"
import type { Grant } from "../Rights.ts"

/** The scopes that each operation needs. */
export type OperationScopes = ReadonlyMap<ApprovableOperation, ReadonlyArray<Scope>>

/** Operations that somebody may do, on these products or on all. */
interface ReachedOperation {
  readonly operation: ApprovableOperation
  readonly products?: ReadonlyArray<string>
}

/** What somebody sees of requests that wait for a second person, and which of them he or she may decide. */
export interface ApprovalReach {
  readonly id: string
  readonly sees: ReadonlyArray<ReachedOperation>
  readonly decides: ReadonlyArray<ReachedOperation>
}

/**
 * The requests that somebody with some grants reaches: those of operations that he or she may do, to decide; and those of all
 * operations for one who may read people.
 */
export const approvalReach = (id: string, grants: ReadonlyArray<Grant>, scopes: OperationScopes): ApprovalReach => {
  const decides = Array.from(scopes).flatMap(([operation, needed]): ReadonlyArray<ReachedOperation> => {
    const rights = rightsFor(grants, needed)
    if (Result.isFailure(rights)) return []
    const { products } = rights.success
    return [{ operation, ...(products === undefined ? {} : { products }) }]
  })
  const people = rightsFor(grants, ["people:read"])
  const readsAll = Result.isSuccess(people) && people.success.products === undefined
  return { id, decides, sees: readsAll ? Array.from(scopes.keys(), (operation) => ({ operation })) : decides }
}
