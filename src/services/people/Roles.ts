import { Context, Effect, Layer } from "effect"
import { Conflict, failing, InUse, NotFound, StateConflict, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, PreconditionFailed, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import type { SecondLookAction } from "../../domain/log/SecondLook.ts"
import { beyondGranter } from "../../domain/people/Rights.ts"
import type { Concerned, Granter } from "../../domain/people/Rights.ts"
import { builtInRole, builtInRoles, Role } from "../../domain/people/Role.ts"
import type { RoleCreate, RoleUpdate } from "../../domain/people/Role.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { makeEntityTags } from "../ground/persistence/Precondition.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Events } from "../log/Events.ts"
import { bootstrapActor, CurrentActor } from "../log/Provenance.ts"
import { ManagementKeys, unknownProducts } from "./access/ManagementKeys.ts"
import { voidingInvitations } from "./RefusedSignIns.ts"
import {
  deleteRole,
  deleteSecondLook,
  findBearer,
  findRole,
  findSecondLook,
  insertRole,
  insertSecondLook,
  listRoles,
  lockRole,
  lockSecondLook,
  lockToDelete,
  updateRole
} from "./RoleSql.ts"

/** Makes the check that nobody gives or takes rights that he has not. */
export const makeGranters = Effect.gen(function*() {
  const keys = yield* ManagementKeys

  const granter = Effect.flatMap(
    CurrentActor,
    ({ id, person, scopes }): Effect.Effect<Granter> =>
      id === bootstrapActor.id || person !== undefined
        ? Effect.succeed({ scopes, allowed_cidrs: [] })
        : Effect.orDie(keys.get(id))
  )

  /** Rights that the actor lacks of those given or taken, in words. */
  const lacking = (concerned: Concerned) => Effect.map(granter, (held) => beyondGranter(held, concerned))

  return {
    lacking,
    /** Fails where the actor lacks what is given or taken. */
    check: Effect.fnUntraced(function*(concerned: Concerned) {
      const beyond = yield* lacking(concerned)
      if (beyond.length === 0) return
      return yield* failing(TokenScopeDenied, "You can give or take only rights that you have.", {
        detail: beyond.join("; ")
      })
    })
  }
})

const readRole = rowReader(Role)

const missing = () => failing(NotFound, "No role has this id.")

const unchangeable = () =>
  failing(StateConflict, "Of a built-in role, only second_look can be changed. Create a custom role instead.")

const taken = () => failing(Conflict, "Another role has this name.")

/** Whether a name is that of a built-in role. */
const isBuiltInName = (name: string): boolean =>
  builtInRoles.some((role) => role.name.toLowerCase() === name.toLowerCase())

/** Sets of scopes that people are given: the five built-in ones, and the vendor's own. */
export class Roles extends Context.Service<Roles, {
  /** The built-in roles stand among the others, by their ids. */
  readonly list: (page: PageRequest) => Effect.Effect<Page<Role>, InvalidCursor>
  /** Never with more scopes than the caller has. */
  readonly create: (input: RoleCreate) => Effect.Effect<Role, Conflict | TokenScopeDenied | ValidationError>
  readonly get: (id: string) => Effect.Effect<Role, NotFound>
  /** Takes effect at once, for everybody who has the role. */
  readonly update: (
    id: string,
    changes: RoleUpdate
  ) => Effect.Effect<
    Role,
    Conflict | NotFound | PreconditionFailed | StateConflict | TokenScopeDenied | ValidationError
  >
  /** Refused while people have it. */
  readonly remove: (
    id: string
  ) => Effect.Effect<void, InUse | NotFound | PreconditionFailed | StateConflict | TokenScopeDenied>
}>()("countersign/services/people/Roles") {
  static readonly layer = Layer.effect(
    Roles,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const granters = yield* makeGranters
      const tags = yield* makeEntityTags<Role>((role) => role)

      const append = (change: "created" | "updated" | "deleted", role: Role) =>
        events.append({ type: `role.${change}`, resourceId: role.id, data: role })

      /** Sets what a role needs a second person for. */
      const setSecondLook = (id: string, actions: ReadonlyArray<SecondLookAction>) =>
        actions.length === 0 ? deleteSecondLook(sql, id) : insertSecondLook(sql, id, actions)

      /** A built-in role with what it needs a second person for. */
      const lookedAt = (role: Role) =>
        Effect.map(
          findSecondLook(sql, role.id),
          ([row]): Role => row === undefined ? role : { ...role, second_look: row.actions }
        )

      /** A role of the vendor's own, locked for a change. */
      const held = Effect.fnUntraced(function*(id: string, lock: typeof lockRole) {
        if (builtInRole(id) !== undefined) {
          return yield* unchangeable()
        }
        const [row] = yield* lock(sql, id)
        if (row === undefined) return yield* missing()
        const role = readRole(row)
        yield* tags.judgeOnce(id, Effect.succeed(role))
        return role
      })

      const checkProducts = Effect.fnUntraced(function*(ids: ReadonlyArray<string> | null | undefined) {
        const unknown = yield* unknownProducts(sql, ids ?? [], undefined)
        if (unknown.length > 0) return yield* invalidRequest(unknown)
      })

      const create = Effect.fn("Roles.create")((input: RoleCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { description = "", name, product_ids = null, scopes, second_look = [] } = input
            yield* checkProducts(product_ids)
            yield* granters.check({ scopes, isGiven: true })
            if (isBuiltInName(name)) return yield* taken()
            const values = { name, description: description || null, scopes, product_ids }
            const [row] = yield* insertRole(sql, identifiers.next("role"), values)
            if (row === undefined) return yield* taken()
            const made = readRole(row)
            yield* setSecondLook(made.id, second_look)
            const role = second_look.length === 0 ? made : { ...made, second_look }
            yield* append("created", role)
            return role
          })
        )
      )

      const get = Effect.fn("Roles.get")(function*(id: string) {
        const builtIn = builtInRole(id)
        if (builtIn !== undefined) {
          const role = yield* lookedAt(builtIn)
          yield* tags.note(role)
          return role
        }
        const [row] = yield* findRole(sql, id)
        if (row === undefined) return yield* missing()
        const role = readRole(row)
        yield* tags.note(role)
        return role
      })

      const voiding = voidingInvitations(sql, events)

      /** Changes the one thing of a built-in role that can be changed: the actions that need a second person. */
      const writeBuiltIn = Effect.fnUntraced(function*(builtIn: Role, { second_look, ...others }: RoleUpdate) {
        if (Object.keys(others).length > 0) return yield* unchangeable()
        yield* lockSecondLook(sql, builtIn.id)
        yield* tags.judgeOnce(builtIn.id, lookedAt(builtIn))
        yield* granters.check({ scopes: builtIn.scopes, isGiven: false })
        if (second_look !== undefined) yield* setSecondLook(builtIn.id, second_look)
        const role = yield* lookedAt(builtIn)
        yield* tags.note(role)
        if (second_look !== undefined) {
          yield* events.append({ type: "role.second_look_changed", resourceId: role.id, data: role })
        }
        return role
      })

      const write = Effect.fnUntraced(function*(id: string, changes: RoleUpdate) {
        const builtIn = builtInRole(id)
        if (builtIn !== undefined) return yield* writeBuiltIn(builtIn, changes)
        const before = yield* held(id, lockRole)
        const { description, name = before.name, product_ids, scopes = before.scopes } = changes
        // A product that was deleted since stays in the limit, and keeps nobody from editing.
        yield* checkProducts(product_ids?.filter((product) => before.product_ids?.includes(product) !== true))
        yield* granters.check({
          scopes: [...before.scopes, ...scopes],
          isGiven: changes.scopes !== undefined || product_ids !== undefined
        })
        if (isBuiltInName(name)) return yield* taken()
        if (changes.second_look !== undefined) yield* setSecondLook(id, changes.second_look)
        const rows = yield* updateRole(sql, id, {
          name,
          description: (description ?? before.description ?? "") || null,
          scopes,
          product_ids: product_ids === undefined ? before.product_ids ?? null : product_ids
        }).fallible.pipe(
          Effect.catch((error) => error.reason._tag === "UniqueViolation" ? Effect.fail(taken()) : Effect.die(error))
        )
        const role = readRole(rows[0]!)
        yield* tags.note(role)
        yield* append("updated", role)
        const isWider = scopes.some((scope) => !before.scopes.includes(scope)) ||
          (before.product_ids != null &&
            (role.product_ids == null || role.product_ids.some((product) => !before.product_ids!.includes(product))))
        if (isWider) yield* voiding(id)
        return role
      })

      const remove = Effect.fn("Roles.remove")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const role = yield* held(id, lockToDelete)
            yield* granters.check({ scopes: role.scopes, isGiven: false })
            if ((yield* findBearer(sql, id)).length > 0) {
              return yield* failing(InUse, "The role is in use.", { detail: "Referenced by people." })
            }
            yield* deleteRole(sql, id)
            yield* append("deleted", role)
          })
        )
      )

      return Roles.of({
        list: (page) =>
          sortedPage({
            sql,
            list: "roles",
            products: "not-limited",
            filters: {},
            page,
            conditions: [],
            rows: (clauses, limit) => listRoles(sql, clauses, limit),
            read: readRole
          }),
        create,
        get,
        update: Effect.fn("Roles.update")((id, changes) => inTransaction(sql, write(id, changes))),
        remove
      })
    })
  )
}
