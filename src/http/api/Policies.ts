import { HttpApiGroup } from "effect/http-api"
import { Policy, PolicyCreate, PolicyUpdate } from "../../domain/catalog/Policy.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"

export class Policies extends HttpApiGroup.make("policies").add(
  ...crud({
    noun: "Policy",
    list: "listPoliciesByProduct",
    collection: "/api/v1/products/:id/policies",
    item: "/api/v1/policies/:id",
    schema: Policy,
    create: PolicyCreate,
    update: PolicyUpdate,
    scopes: { read: "product:read", write: "product:write" },
    action: "policy",
    inUse: ["delete"],
    documents: {
      list: { summary: "List policies", description: "The policies of a product, newest first." },
      create: {
        summary: "Create a policy",
        description: "The rules that licenses are issued under. `code` is unique in the product. " +
          "Members left out take the documented defaults: one activation, no grace period, VMs, containers and " +
          "offline use allowed."
      },
      get: { summary: "Read a policy", description: "One policy by its id." },
      update: {
        summary: "Change a policy",
        description: "Members left out stay as they are. " +
          "Takes effect at the next runtime call of every license under it. `null` clears an optional limit."
      },
      delete: { summary: "Delete a policy", description: "Refused with IN_USE while licenses were issued under it." }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
