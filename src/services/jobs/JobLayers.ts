import { Layer } from "effect"
import { ProductReach } from "../people/access/Scopes.ts"
import { JobActor, JobSweeper } from "./JobActor.ts"
import { Jobs } from "./Jobs.ts"
import { JobActions, JobWork } from "./JobWork.ts"

/** Actions on many licenses: requests for them, their actor, and the sweep that finds a job whose node died. */
export const layer = Layer.mergeAll(Jobs.layer, JobSweeper.layer).pipe(
  Layer.provideMerge(JobActor.layer),
  Layer.provide(JobWork.layer.pipe(Layer.provide([JobActions.layer, ProductReach.layer])))
)
