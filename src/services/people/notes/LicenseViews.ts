import { Context, Effect, Layer } from "effect"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { LicenseView, viewLimit } from "../../../domain/jobs/LicenseJob.ts"
import type { LicenseViewInput } from "../../../domain/jobs/LicenseJob.ts"
import { coversScope } from "../../../domain/keys/security/ScopeRule.ts"
import type { Author } from "../../../domain/people/notes/Note.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { CurrentActor, lackedScopes } from "../../log/Provenance.ts"
import {
  countOfAuthor,
  deleteView,
  insertView,
  isOfAuthor,
  isSeenBy,
  listViews,
  lockAuthor,
  lockView,
  updateView
} from "./LicenseViewSql.ts"
import { authorOf } from "./Notes.ts"

const readView = rowReader(LicenseView)

/** Saved views of the list of licenses. They change nothing but what their readers see, so no event tells of them. */
export class LicenseViews extends Context.Service<LicenseViews, {
  /** The views of the caller, and those that are shared. A caller that is limited to products sees its own alone. */
  readonly list: (page: PageRequest) => Effect.Effect<Page<LicenseView>, InvalidCursor>
  /** Refused where the caller has as many views as one may have. */
  readonly create: (input: LicenseViewInput) => Effect.Effect<LicenseView, StateConflict | TokenScopeDenied>
  /** Only the author changes a view; that of an author who has no access any more, whoever may share views, as its next author. */
  readonly update: (
    id: string,
    input: LicenseViewInput
  ) => Effect.Effect<LicenseView, NotFound | StateConflict | TokenScopeDenied>
  /** The author deletes a view, and so does who may do everything, or who may change it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | TokenScopeDenied>
}>()("countersign/services/people/notes/LicenseViews") {
  static readonly layer = Layer.effect(
    LicenseViews,
    Effect.gen(function*() {
      const sql = yield* Database
      const identifiers = yield* Identifiers

      const list = Effect.fn("LicenseViews.list")(function*(page: PageRequest) {
        const reader = authorOf(yield* CurrentActor)
        return yield* sortedPage({
          sql,
          list: "license_views",
          products: () => isOfAuthor(sql, reader),
          filters: {},
          page,
          conditions: [isSeenBy(sql, reader)],
          rows: (clauses, limit) => listViews(sql, clauses, { limit, reader }),
          read: readView
        })
      })

      const mayShare = Effect.fnUntraced(function*({ is_shared = false }: LicenseViewInput) {
        if (is_shared && (yield* lackedScopes(["license:write"])).length > 0) {
          return yield* failing(TokenScopeDenied, "Sharing a view needs license:write.")
        }
      })

      /** Refuses an author who has as many views as one may have. */
      const checkRoom = Effect.fnUntraced(function*(author: Author) {
        yield* lockAuthor(sql, author)
        const [counted] = yield* countOfAuthor(sql, author)
        if (counted!.n >= viewLimit.own) {
          return yield* failing(StateConflict, `You have ${viewLimit.own} views. Delete one first.`)
        }
      })

      const create = Effect.fn("LicenseViews.create")((input: LicenseViewInput) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* mayShare(input)
            const author = authorOf(yield* CurrentActor)
            yield* checkRoom(author)
            const [row] = yield* insertView(sql, { id: identifiers.next("view"), author, input })
            return readView(row!)
          })
        )
      )

      /** A locked view, where the caller may change it. */
      const held = Effect.fnUntraced(function*(id: string, isAllowed: boolean) {
        const reader = authorOf(yield* CurrentActor)
        const isLimited = (yield* CurrentProducts) !== undefined
        const [row] = yield* lockView(sql, { id, isLimited, reader })
        if (row === undefined) return yield* failing(NotFound, "No view has this id.")
        const view = readView(row)
        const isLeftToCaller = view.is_left === true && (yield* lackedScopes(["license:write"])).length === 0
        if (view.is_own || isAllowed || isLeftToCaller) return { author: reader, isOwn: view.is_own }
        return yield* failing(TokenScopeDenied, "Only the author of a view may change or delete it.")
      })

      const update = Effect.fn("LicenseViews.update")((id: string, input: LicenseViewInput) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { author, isOwn } = yield* held(id, false)
            yield* mayShare(input)
            if (!isOwn) yield* checkRoom(author)
            const [row] = yield* updateView(sql, { author, id, input })
            return readView(row!)
          })
        )
      )

      const remove = Effect.fn("LicenseViews.remove")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { scopes } = yield* CurrentActor
            yield* held(id, coversScope(scopes, "admin"))
            yield* deleteView(sql, id)
          })
        )
      )

      return LicenseViews.of({ list, create, update, remove })
    })
  )
}
